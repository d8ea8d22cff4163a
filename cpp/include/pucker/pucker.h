/* pucker in C: a method's run over a garment, frame by frame.
 *
 * Objects are behind handles, arrays are the caller's, and no exception leaves a call. Every call that can fail gives a
 * status and, if `error` is not NULL, a sentence. A handle belongs to one thread at a time; different handles are
 * independent. Results are bit for bit those of the C++ and Python interfaces.
 */
#ifndef PUCKER_H
#define PUCKER_H

#include <stddef.h>
#include <stdint.h>

/* PUCKER_STATIC: the static library, which both who builds and who uses it define. PUCKER_BUILDING: defined by who
 * builds the shared one. */
#if defined(PUCKER_STATIC)
#define PUCKER_API
#elif defined(_WIN32) && defined(PUCKER_BUILDING)
#define PUCKER_API __declspec(dllexport)
#elif defined(_WIN32)
#define PUCKER_API __declspec(dllimport)
#elif defined(__EMSCRIPTEN__)
#define PUCKER_API __attribute__((used, visibility("default")))
#else
#define PUCKER_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* NOLINTBEGIN(readability-identifier-naming): names as C has them */
typedef struct pucker_params pucker_params;
typedef struct pucker_run pucker_run;

typedef enum pucker_status {
  PUCKER_OK = 0,
  PUCKER_INVALID = 1, /* an argument breaks a rule */
  PUCKER_FAILED = 2,  /* a file cannot be used */
  PUCKER_MEMORY = 3,  /* there is not enough memory */
  PUCKER_INTERNAL = 4 /* a mistake of pucker's */
} pucker_status;

/* What went wrong: one sentence, cut off where it is longer. Empty after a call that went well. */
typedef struct pucker_error {
  char text[512];
} pucker_error;

/* A garment, and what is known of it. Arrays are row-major and are copied. */
typedef struct pucker_garment {
  int64_t vertices;
  int64_t triangles;
  const int32_t* faces;   /* triangles x 3, vertices */
  const double* first;    /* vertices x 3, positions of the first frame */
  const double* rest;     /* vertices x 3, the pose it was made in; NULL if not known */
  const double* standing; /* vertices x 3, a pose in which the character stands, arms low; NULL if not known */
  double height;          /* of the character, in the unit of the positions */
} pucker_garment;

/* All of a character but the garment, with coincident vertices joined. Arrays are row-major and are copied. */
typedef struct pucker_wearer {
  int64_t vertices;
  int64_t triangles;
  int64_t frames;
  const int32_t* faces;          /* triangles x 3, vertices */
  const double* positions;       /* frames x vertices x 3, of every frame that the run will see */
  const double* rest;            /* vertices x 3, in the garment's pose `rest`; NULL if not known */
  const double* standing;        /* vertices x 3, in its pose `standing`; NULL if not known */
  int64_t shared;                /* how many vertices of the garment are also the wearer's */
  const int32_t* shared_indices; /* which; NULL if none */
} pucker_wearer;

/* How vertices follow the nodes of a skeleton: a linear blend skin. Arrays are row-major. */
typedef struct pucker_skin {
  int64_t vertices;
  int64_t joints;
  const double* rest;          /* vertices x 3, in the pose the skin was bound in */
  const int32_t* first;        /* vertices + 1: where the influences of each vertex begin */
  const int32_t* influences;   /* of each its joint */
  const double* weights;       /* and its weight; those of a vertex sum to 1 */
  const int32_t* nodes;        /* joints, the node of the skeleton that each is */
  const double* inverse_binds; /* joints x 3 x 4, from that pose to each joint */
} pucker_skin;

/* One array of a file: real numbers, or one text. */
typedef struct pucker_array {
  const char* name;
  const char* text;      /* UTF-8; NULL of numbers */
  int64_t rank;          /* of numbers */
  const int64_t* shape;  /* rank sizes */
  const double* numbers; /* row-major, as many as the shape says */
} pucker_array;

/* One path of the dynamic method. */
typedef struct pucker_path {
  int64_t id;     /* the same for as long as the wrinkle lives */
  int32_t alive;  /* 0: it only sinks */
  int64_t points; /* how many it has */
  double age;     /* seconds */
} pucker_path;

/* "0.1.0"; never NULL. */
PUCKER_API const char* pucker_version(void);

/* Parameters of a method ("dynamic", "waves", "byexample" or "drape") with their defaults. */
PUCKER_API pucker_status pucker_params_new(const char* method, pucker_params** out, pucker_error* error);
/* Sets one by its dotted name from text, as --set does: "levels", "2". A trained set: "trained", its file. */
PUCKER_API pucker_status pucker_params_set(pucker_params* params, const char* name, const char* value,
                                           pucker_error* error);
/* Gives an array of the .npz that parameters name by `file`, as "trained" does: runs begun with these parameters read
 * those given from here (a copy), and no such file. For programs that keep their files elsewhere than on a disk. */
PUCKER_API pucker_status pucker_params_array(pucker_params* params, const char* file, const pucker_array* array,
                                             pucker_error* error);
/* NULL is let be. */
PUCKER_API void pucker_params_free(pucker_params* params);

/* A run that has seen no frame yet; it keeps copies of what it is given. `pieces`: into how many pieces each edge is
 * divided where the method's detail is no mesh of its own (dynamic, waves), 1 or more. */
PUCKER_API pucker_status pucker_run_new(const pucker_params* params, const pucker_garment* garment, int32_t pieces,
                                        pucker_run** out, pucker_error* error);
/* The same of a garment that is worn: draped cloth is kept out of the wearer, and all methods let what is shared be. */
PUCKER_API pucker_status pucker_run_new_worn(const pucker_params* params, const pucker_garment* garment,
                                             const pucker_wearer* wearer, int32_t pieces, pucker_run** out,
                                             pucker_error* error);
/* The next frame: positions (vertices x 3) at `time` seconds, later than the one before. After a failure nothing has
 * changed. */
PUCKER_API pucker_status pucker_run_advance(pucker_run* run, const double* positions, double time, pucker_error* error);
/* The same with the wearer's positions (its vertices x 3) in this frame, in place of those that the run began with;
 * only methods that look at the wearer do so. */
PUCKER_API pucker_status pucker_run_advance_worn(pucker_run* run, const double* positions, const double* wearer,
                                                 double time, pucker_error* error);
/* The fine mesh, the same in all frames, once there was one. */
PUCKER_API pucker_status pucker_run_size(const pucker_run* run, int64_t* vertices, int64_t* triangles,
                                         pucker_error* error);
/* Its triangles into `out`, which has room for `room` numbers: 3 a triangle. */
PUCKER_API pucker_status pucker_run_faces(const pucker_run* run, int32_t* out, size_t room, pucker_error* error);
/* Of each of those triangles the one of the garment that it is part of, into `sources`, and where its corners lie in
 * that, 3 barycentric coordinates a corner, into `corners`, which has room for `room` numbers: 9 a triangle. Either may
 * be NULL. */
PUCKER_API pucker_status pucker_run_corners(const pucker_run* run, int32_t* sources, double* corners, size_t room,
                                            pucker_error* error);
/* Positions and unit normals of the last frame, 3 numbers a vertex, each with room for `room` numbers; either may be
 * NULL. Like all calls for what a frame has given but `pucker_run_tints`, takes memory only while there is more to hold
 * than before. */
PUCKER_API pucker_status pucker_run_surface(const pucker_run* run, double* positions, double* normals, size_t room,
                                            pucker_error* error);
/* How many paths the last frame has: 0 for other methods than the dynamic one. */
PUCKER_API pucker_status pucker_run_path_count(const pucker_run* run, int64_t* out, pucker_error* error);
/* A path, and its points on the coarse mesh into `points` (room numbers, 3 a point) unless that is NULL. */
PUCKER_API pucker_status pucker_run_path(const pucker_run* run, int64_t index, pucker_path* out, double* points,
                                         size_t room, pucker_error* error);
/* The same path as it is drawn: how many points its smooth curve has, none of one of which nothing is left to see, and
 * of each its place and by how much the surface may stand before it into `points` (room numbers, 4 a point) unless that
 * is NULL. */
PUCKER_API pucker_status pucker_run_curve(const pucker_run* run, int64_t index, int64_t* count, double* points,
                                          size_t room, pucker_error* error);
/* What tells how the last frame came about: a tint of the garment's triangles by its name, as "labels" of the dynamic
 * method. sRGB and how much of it, into `out` (room numbers, 4 a triangle). */
PUCKER_API pucker_status pucker_run_tints(const pucker_run* run, const char* overlay, uint8_t* out, size_t room,
                                          pucker_error* error);
/* NULL is let be. */
PUCKER_API void pucker_run_free(pucker_run* run);

/* Nodes of a skeleton in the world after they were turned, into `out` (nodes x 3 x 4). `parents`: an earlier node, or
 * -1. `matrices`: where they were (nodes x 3 x 4). `angles` (nodes x 3) in degrees: each turns about its own x axis,
 * then about y as it lies then, then about z likewise, and what hangs on it turns with it. */
PUCKER_API pucker_status pucker_nodes_turned(int64_t nodes, const int32_t* parents, const double* matrices,
                                             const double* angles, double* out, pucker_error* error);
/* Vertices that follow nodes (nodes x 3 x 4, in the world) into `out`, vertices x 3. */
PUCKER_API pucker_status pucker_skin_positions(const pucker_skin* skin, int64_t nodes, const double* matrices,
                                               double* out, pucker_error* error);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif
