// Runs the programs of a batch (tenon_test_objects_main.cc) that wasm-ld linked into batch.wasm:
// reads inputs.bin, writes results.bin. For Node.
import {readFileSync, writeFileSync} from 'node:fs';

const programs = [...readFileSync('programs.h', 'utf8').matchAll(/X\((\w+), (\d+)\)/g)];
const module = await WebAssembly.compile(readFileSync('batch.wasm'));
const inputs = readFileSync('inputs.bin');
const results = [];
let read = 0, failed = false;

for (const [, name, stated] of programs) {
  // A new instance for each program: fresh memory.
  const {exports} = await WebAssembly.instantiate(module, {});
  const memory = exports.memory, stackTop = exports.__stack_pointer.value;
  let end = exports.__heap_base.value;
  const allocate = bytes => {
    const address = (end + 63) & ~63;
    end = address + bytes;
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    return address;
  };
  const word = address => new DataView(memory.buffer).getUint32(address, true);
  const long = address => Number(new DataView(memory.buffer).getBigUint64(address, true));
  // tenon_model_info: four pointers, then numbers of 64 bits.
  const info = exports[`${name}_info`].value;
  const args = word(info + 8), outs = word(info + 12);
  const numArgs = long(info + 16), numResults = long(info + 24);
  const arena = allocate(long(info + 32));
  const table = (count, fill) => {
    const addresses = Array.from({length: count}, (_, i) => fill(i));
    const at = allocate(4 * count);
    addresses.forEach((a, i) => new DataView(memory.buffer).setUint32(at + 4 * i, a, true));
    return [at, addresses];
  };
  // tenon_model_tensor: three pointers, bytes (64 bits), rank, alias.
  const kTensor = 32;
  const [argTable, given] = table(numArgs, i => {
    const bytes = long(args + kTensor * i + 16);
    const at = allocate(bytes);
    new Uint8Array(memory.buffer, at, bytes).set(inputs.subarray(read, read + bytes));
    read += bytes;
    return at;
  });
  const sizes = [];
  const [outTable, addresses] = table(numResults, i => {
    sizes.push(long(outs + kTensor * i + 16));
    const alias = new DataView(memory.buffer).getInt32(outs + kTensor * i + 28, true);
    return alias < 0 ? allocate(sizes[i]) : given[alias];
  });
  // The stack lies at the start of the memory.
  new Uint8Array(memory.buffer, 0, stackTop).fill(0xa5);
  if (exports[`${name}_call`](0, argTable, outTable, arena) !== 0) failed = true;
  const untouched = new Uint8Array(memory.buffer, 0, stackTop).findIndex(byte => byte !== 0xa5);
  if (untouched >= 0 && stackTop - untouched > Number(stated)) {
    console.log(`${name}: ${stackTop - untouched} bytes of stack used, ${stated} stated`);
    failed = true;
  }
  addresses.forEach((at, i) =>
      results.push(Buffer.from(new Uint8Array(memory.buffer, at, sizes[i]))));
}
writeFileSync('results.bin', Buffer.concat(results));
process.exit(failed ? 1 : 0);
