// The network: digits.wasm, which tenon-compile wrote. It imports nothing.

/** Loads the module; returns {classify, bytes}. classify takes 64 pixels from 0 to 16 and returns
 * the probabilities of the ten digits. */
export async function load(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  const code = await response.arrayBuffer();
  const {instance} = await WebAssembly.instantiate(code, {});
  const {memory, __heap_base: heap, digits_run: run, digits_info: info} = instance.exports;
  // tenon_model_info of digits.h: four pointers and two counts are before arena_bytes.
  const arenaBytes = new DataView(memory.buffer).getUint32(info.value + 4 * 4 + 2 * 8, true);

  // Arrays at the start of the free memory, aligned to 64 bytes: image, scores, scratch memory.
  const image = (heap.value + 63) & ~63, scores = image + 64 * 4, arena = scores + 64;
  const missing = arena + arenaBytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / 65536));

  const classify = pixels => {
    new Float32Array(memory.buffer, image, 64).set(pixels);
    run(image, scores, arena);
    const values = [...new Float32Array(memory.buffer, scores, 10)];
    const max = Math.max(...values);
    const weights = values.map(value => Math.exp(value - max));
    const sum = weights.reduce((a, b) => a + b);
    return weights.map(weight => weight / sum);
  };
  return {classify, bytes: code.byteLength};
}
