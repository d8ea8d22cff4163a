// Mixes a wrinkle map of pucker into a material of three.js: the normal map counts by the sum of masks times weights.
// `wrinkles` is what wrinkles.json holds, `normalMap` and `masks` are the textures beside it, masks as its regions come.
// show(clip, time) sets the weights of a clip at a time in seconds; other motion sets `weights` itself.

export function addWrinkles(THREE, material, wrinkles, normalMap, masks) {
  const uniforms = { wrinkleMasks: { value: masks }, wrinkleWeights: { value: masks.map(() => 0) } };
  const sum = masks.map((_, k) => `wrinkleWeights[${k}] * texture2D(wrinkleMasks[${k}], vNormalMapUv).r`).join(" + ");
  const count = masks.length;
  material.normalMap = normalMap;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    const declared = `uniform sampler2D wrinkleMasks[${count}];\nuniform float wrinkleWeights[${count}];\n`;
    const mixed = `mapN = mix(vec3(0.0, 0.0, 1.0), mapN, clamp(${sum}, 0.0, 1.0));\n  mapN.xy *= normalScale;`;
    const maps = THREE.ShaderChunk.normal_fragment_maps.replace("mapN.xy *= normalScale;", mixed);
    shader.fragmentShader = declared + shader.fragmentShader.replace("#include <normal_fragment_maps>", maps);
  };
  material.needsUpdate = true;
  const weights = uniforms.wrinkleWeights.value;
  return { weights, show: (clip, time) => weights.splice(0, count, ...weightsAt(wrinkles.clips[clip], time)) };
}

// A clip's weights at a time, between two of its rows where it lies there.
function weightsAt({ times, weights }, time) {
  const next = times.findIndex((each) => each > time);
  if (next === 0) return weights[0];
  if (next < 0) return weights[weights.length - 1];
  const share = (time - times[next - 1]) / (times[next] - times[next - 1]);
  return weights[next].map((weight, k) => share * weight + (1 - share) * weights[next - 1][k]);
}
