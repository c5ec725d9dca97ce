// The page: a pad to draw on, what the network sees of it, and what it thinks.
import {load} from './model.mjs';

const element = id => document.getElementById(id);
const pad = element('pad'), seen = element('seen');
const ink = getComputedStyle(document.body).getPropertyValue('--ink');

let strokes = [];  // lists of points [x, y] in pixels of the pad
let model;

function line(context, points, width) {
  context.lineCap = context.lineJoin = 'round';
  context.lineWidth = width;
  context.beginPath();
  points.forEach(([x, y]) => context.lineTo(x, y));
  if (points.length === 1) context.lineTo(points[0][0] + 0.01, points[0][1]);
  context.stroke();
}

function drawPad() {
  const context = pad.getContext('2d');
  context.clearRect(0, 0, pad.width, pad.height);
  context.strokeStyle = ink;
  strokes.forEach(points => line(context, points, 22));
  element('hint').hidden = strokes.length > 0;
}

// As the data were made: the digit fills 32x32 black and white pixels; a number of the image is how
// many of 4x4 are black.
function pixels() {
  const xs = strokes.flat().map(p => p[0]), ys = strokes.flat().map(p => p[1]);
  const left = Math.min(...xs), top = Math.min(...ys);
  const width = Math.max(...xs) - left, height = Math.max(...ys) - top;
  const pen = 4.2, scale = (32 - pen) / Math.max(width, height, 60);
  const canvas = new OffscreenCanvas(32, 32);
  const context = canvas.getContext('2d', {willReadFrequently: true});
  const place = ([x, y]) => [16 + (x - left - width / 2) * scale, 16 + (y - top - height / 2) * scale];
  strokes.forEach(points => line(context, points.map(place), pen));
  const {data} = context.getImageData(0, 0, 32, 32);
  const counts = new Array(64).fill(0);
  for (let i = 0; i < 1024; ++i)
    counts[(i >> 7) * 8 + ((i & 31) >> 2)] += data[4 * i + 3] > 127;
  return counts;
}

function show(image) {
  const start = performance.now();
  const calls = 200;
  for (let i = 1; i < calls; ++i) model.classify(image);
  const probabilities = model.classify(image);
  const microseconds = 1000 * (performance.now() - start) / calls;

  const context = seen.getContext('2d');
  context.clearRect(0, 0, 8, 8);
  image.forEach((value, i) => {
    context.globalAlpha = value / 16;
    context.fillStyle = ink;
    context.fillRect(i % 8, i >> 3, 1, 1);
  });
  const best = probabilities.indexOf(Math.max(...probabilities));
  element('best').textContent = best;
  probabilities.forEach((p, digit) => {
    const row = element('bars').children[digit];
    row.classList.toggle('best', digit === best);
    row.querySelector('i').style.width = `${100 * p}%`;
    row.querySelector('span').textContent = p < 0.005 ? '' : `${Math.round(100 * p)} %`;
  });
  element('facts').textContent = `${Math.round(model.bytes / 1000)} KB of WebAssembly` +
      (microseconds > 0 ? ` · ${microseconds.toFixed(1)} µs per image` : '');
}

function update() {
  drawPad();
  if (strokes.length) show(pixels());
}

function point(event) {
  const box = pad.getBoundingClientRect();
  return [(event.clientX - box.left) * pad.width / box.width,
          (event.clientY - box.top) * pad.height / box.height];
}

let justShown = true;  // the digit with which the page starts
pad.addEventListener('pointerdown', event => {
  if (justShown) strokes = [];
  justShown = false;
  pad.setPointerCapture(event.pointerId);
  strokes.push([point(event)]);
  update();
});
pad.addEventListener('pointermove', event => {
  if (!event.buttons || !strokes.length) return;
  strokes.at(-1).push(point(event));
  update();
});
element('clear').addEventListener('click', () => {
  strokes = [];
  drawPad();
});

// Images of the test set below the pad. With #check, all of them are classified.
function showSamples(text) {
  const images = text.trim().split('\n').map(row => row.split(' ').map(Number));
  images.slice(0, 16).forEach(image => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 8;
    const context = canvas.getContext('2d');
    image.forEach((value, i) => {
      context.fillStyle = `color-mix(in srgb, ${ink} ${100 * value / 16}%, transparent)`;
      context.fillRect(i % 8, i >> 3, 1, 1);
    });
    const button = document.createElement('button');
    button.append(canvas);
    button.addEventListener('click', () => {
      strokes = [];
      drawPad();
      show(image);
    });
    element('samples').append(button);
  });
  if (location.hash !== '#check') return;
  const best = images.map(model.classify).map(p => p.indexOf(Math.max(...p)));
  element('check').textContent = best.join(' ');
}

// A three: two arcs, each as (center y, radius, first angle, last angle).
function three() {
  const points = [];
  for (const [y, r, from, to] of [[112, 52, -2.6, 1.57], [218, 60, -1.57, 2.6]])
    for (let a = from; a <= to; a += 0.1)
      points.push([155 + r * Math.cos(a), y + r * Math.sin(a)]);
  return points;
}

element('bars').innerHTML = Array.from({length: 10}, (_, digit) =>
    `<li><b>${digit}</b><div><i></i></div><span></span></li>`).join('');
try {
  const samples = fetch('digits.txt').then(response => response.ok ? response.text() : '');
  let text;
  [model, text] = await Promise.all([load('digits.wasm'), samples]);
  strokes = [three()];
  update();
  if (text) showSamples(text);
} catch (error) {
  element('facts').textContent = `The network did not load: ${error.message}`;
}
document.body.dataset.ready = 'yes';
