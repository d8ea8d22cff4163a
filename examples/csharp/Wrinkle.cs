// Wrinkles a garment whose frames are OBJ files, through pucker's C interface, and writes the fine surface of each frame.
using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;

/// pucker.h, as far as this program needs it.
static class Pucker {
  const string Library = "pucker";

  [StructLayout(LayoutKind.Sequential)]
  public struct Garment {
    public long vertices, triangles;
    public IntPtr faces, first, rest, standing;
    public double height;
  }

  [DllImport(Library)] public static extern int pucker_params_new(string method, out IntPtr made, byte[] error);
  [DllImport(Library)] public static extern int pucker_params_set(IntPtr of, string name, string value, byte[] error);
  [DllImport(Library)] public static extern void pucker_params_free(IntPtr of);
  [DllImport(Library)] public static extern int pucker_run_new(
      IntPtr of, ref Garment garment, int pieces, out IntPtr made, byte[] error);
  [DllImport(Library)] public static extern int pucker_run_advance(IntPtr run, double[] at, double time, byte[] error);
  [DllImport(Library)] public static extern int pucker_run_size(IntPtr run, out long v, out long t, byte[] error);
  [DllImport(Library)] public static extern int pucker_run_faces(IntPtr run, int[] to, UIntPtr room, byte[] error);
  [DllImport(Library)] public static extern int pucker_run_surface(
      IntPtr run, double[] positions, double[] normals, UIntPtr room, byte[] error);
  [DllImport(Library)] public static extern void pucker_run_free(IntPtr run);
}

/// A run over one garment. Its arrays are made once: a frame takes no memory.
sealed class Wrinkles : IDisposable {
  public double[] Positions, Normals;
  public int[] Faces;
  readonly byte[] error = new byte[512];
  IntPtr made = IntPtr.Zero, run = IntPtr.Zero;

  public Wrinkles(string method, IEnumerable<KeyValuePair<string, string>> settings, int[] faces, double[] first,
                  double height) {
    try {
      Check(Pucker.pucker_params_new(method, out made, error));
      foreach (var each in settings) Check(Pucker.pucker_params_set(made, each.Key, each.Value, error));
      // They stay where they are for the call, which copies them.
      var pins = new[] { GCHandle.Alloc(faces, GCHandleType.Pinned), GCHandle.Alloc(first, GCHandleType.Pinned) };
      var garment = new Pucker.Garment {
        vertices = first.Length / 3, triangles = faces.Length / 3, faces = pins[0].AddrOfPinnedObject(),
        first = pins[1].AddrOfPinnedObject(), rest = pins[1].AddrOfPinnedObject(), height = height
      };
      var status = Pucker.pucker_run_new(made, ref garment, 4, out run, error);
      foreach (var pin in pins) pin.Free();
      Check(status);
    } catch {
      Dispose();
      throw;
    }
  }

  public void Advance(double[] positions, double time) {
    Check(Pucker.pucker_run_advance(run, positions, time, error));
    if (Positions == null) MakeRoom();
    Check(Pucker.pucker_run_surface(run, Positions, Normals, (UIntPtr)Positions.Length, error));
  }

  void MakeRoom() {
    long vertices, triangles;
    Check(Pucker.pucker_run_size(run, out vertices, out triangles, error));
    Positions = new double[3 * vertices];
    Normals = new double[3 * vertices];
    Faces = new int[3 * triangles];
    Check(Pucker.pucker_run_faces(run, Faces, (UIntPtr)Faces.Length, error));
  }

  void Check(int status) {
    if (status != 0) throw new ArgumentException(Encoding.UTF8.GetString(error).Split('\0')[0]);
  }

  public void Dispose() {
    Pucker.pucker_run_free(run);
    Pucker.pucker_params_free(made);
    run = made = IntPtr.Zero;
  }
}

static class Program {
  /// Numbers of the lines of an OBJ file that begin with a word.
  static IEnumerable<string> Words(string[] lines, string first) {
    return lines.Select(line => line.Split(' ')).Where(line => line[0] == first).SelectMany(line => line.Skip(1));
  }

  static double[] Positions(string[] lines) {
    return Words(lines, "v").Select(word => double.Parse(word, CultureInfo.InvariantCulture)).ToArray();
  }

  static string Line(string first, double[] from, int v) {
    var numbers = from.Skip(3 * v).Take(3).Select(x => x.ToString("G17", CultureInfo.InvariantCulture));
    return first + " " + string.Join(" ", numbers);
  }

  static void Write(string path, Wrinkles of) {
    using (var file = new StreamWriter(path)) {
      for (var v = 0; v < of.Positions.Length / 3; ++v) file.WriteLine(Line("v", of.Positions, v));
      for (var v = 0; v < of.Normals.Length / 3; ++v) file.WriteLine(Line("vn", of.Normals, v));
      for (var k = 0; k < of.Faces.Length; k += 3)
        file.WriteLine("f " + string.Join(" ", of.Faces.Skip(k).Take(3).Select(v => (v + 1) + "//" + (v + 1))));
    }
  }

  static int Main(string[] words) {
    if (words.Length < 4) {
      Console.Error.WriteLine("Usage: wrinkle METHOD FRAMES OUTPUT FPS [NAME=VALUE]...");
      return 2;
    }
    try {
      var frames = Directory.GetFiles(words[1], "*.obj").OrderBy(name => name, StringComparer.Ordinal).ToArray();
      if (frames.Length == 0) throw new ArgumentException(words[1] + " has no OBJ files");
      var lines = File.ReadAllLines(frames[0]);
      var faces = Words(lines, "f").Select(word => int.Parse(word.Split('/')[0]) - 1).ToArray();
      var first = Positions(lines);
      var heights = first.Where((_, k) => k % 3 == 1).ToArray();
      var fps = double.Parse(words[3], CultureInfo.InvariantCulture);
      var settings = words.Skip(4).Select(word => word.Split(new[] { '=' }, 2))
                         .Select(pair => new KeyValuePair<string, string>(pair[0], pair.Last()));
      using (var run = new Wrinkles(words[0], settings, faces, first, heights.Max() - heights.Min()))
        for (var k = 0; k < frames.Length; ++k) {
          run.Advance(Positions(File.ReadAllLines(frames[k])), k / fps);
          Write(Path.Combine(words[2], Path.GetFileName(frames[k])), run);
        }
      return 0;
    } catch (Exception error) when (error is ArgumentException || error is IOException) {
      Console.Error.WriteLine("wrinkle: " + error.Message);
      return 1;
    }
  }
}
