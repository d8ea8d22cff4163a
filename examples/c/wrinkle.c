/* Wrinkles a sheet that is pushed together, through pucker's C interface, and writes the last frame. */
#include <pucker/pucker.h>
#include <stdio.h>
#include <stdlib.h>

enum { COLUMNS = 12, ROWS = 12, VERTICES = (COLUMNS + 1) * (ROWS + 1), TRIANGLES = 2 * COLUMNS * ROWS, FRAMES = 10 };

static double positions[3 * VERTICES];
static int32_t faces[3 * TRIANGLES];
static pucker_error error;

/* A unit square of which the width shrinks to 0.7. */
static void pose(int frame) {
  const double width = 1.0 - 0.3 * frame / (FRAMES - 1);
  for (int v = 0; v < VERTICES; ++v) {
    positions[3 * v] = width * (v % (COLUMNS + 1)) / COLUMNS;
    positions[3 * v + 1] = (double)(v / (COLUMNS + 1)) / ROWS;
    positions[3 * v + 2] = 0.0;
  }
}

static void connect(void) {
  int32_t* out = faces;
  for (int y = 0; y < ROWS; ++y)
    for (int x = 0; x < COLUMNS; ++x) {
      const int32_t a = y * (COLUMNS + 1) + x, b = a + 1, d = a + COLUMNS + 1, c = d + 1;
      const int32_t quad[6] = {a, b, c, a, c, d};
      for (int k = 0; k < 6; ++k) *out++ = quad[k];
    }
}

/* What a call gave; ends the program where it failed. */
static void check(pucker_status status) {
  if (status == PUCKER_OK) return;
  fprintf(stderr, "wrinkle: %s\n", error.text);
  exit(1);
}

static int write_surface(const char* path, const pucker_run* run) {
  int64_t vertices = 0, triangles = 0;
  check(pucker_run_size(run, &vertices, &triangles, &error));
  double* points = malloc(3 * (size_t)vertices * sizeof(double));
  int32_t* corners = malloc(3 * (size_t)triangles * sizeof(int32_t));
  FILE* file = fopen(path, "w");
  if (points == NULL || corners == NULL || file == NULL) {
    fprintf(stderr, "wrinkle: %s cannot be written\n", path);
    return 1;
  }
  check(pucker_run_surface(run, points, NULL, 3 * (size_t)vertices, &error));
  check(pucker_run_faces(run, corners, 3 * (size_t)triangles, &error));
  for (int64_t v = 0; v < vertices; ++v)
    fprintf(file, "v %.17g %.17g %.17g\n", points[3 * v], points[3 * v + 1], points[3 * v + 2]);
  for (int64_t t = 0; t < triangles; ++t)
    fprintf(file, "f %d %d %d\n", corners[3 * t] + 1, corners[3 * t + 1] + 1, corners[3 * t + 2] + 1);
  printf("vertices %lld\ntriangles %lld\n", (long long)vertices, (long long)triangles);
  free(points);
  free(corners);
  return fclose(file) == 0 ? 0 : 1;
}

int main(int count, char** words) {
  if (count < 3) {
    fprintf(stderr, "Usage: wrinkle METHOD OUTPUT.obj [NAME VALUE]...\n");
    return 2;
  }
  pucker_params* params = NULL;
  pucker_run* run = NULL;
  check(pucker_params_new(words[1], &params, &error));
  for (int k = 3; k + 1 < count; k += 2) check(pucker_params_set(params, words[k], words[k + 1], &error));
  pose(0);
  connect();
  const pucker_garment sheet = {.vertices = VERTICES,
                                .triangles = TRIANGLES,
                                .faces = faces,
                                .first = positions,
                                .rest = positions,
                                .height = 1.0};
  check(pucker_run_new(params, &sheet, 4, &run, &error));
  for (int frame = 0; frame < FRAMES; ++frame) {
    pose(frame);
    check(pucker_run_advance(run, positions, frame / 30.0, &error));
  }
  int64_t paths = 0;
  check(pucker_run_path_count(run, &paths, &error));
  printf("paths %lld\n", (long long)paths);
  const int status = write_surface(words[2], run);
  pucker_run_free(run);
  pucker_params_free(params);
  return status;
}
