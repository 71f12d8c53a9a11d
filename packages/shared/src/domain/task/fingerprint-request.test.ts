import { expect, test } from '@jest/globals';
import { fingerprintRequest } from './index.js';

const PROMPT = { model: 'nanobanana', prompt: 'a red fox' };

test('a fingerprint is the one that earlier releases stored', () => {
  const full = {
    ...PROMPT,
    negative_prompt: 'snow',
    aspect_ratio: '9:16',
    num_outputs: 4,
    resolution: '2k',
    image_urls: ['https://a.example/1.png'],
    webhook_url: 'https://b.example/',
    duration: 5,
  } as const;
  expect([PROMPT, full].map((request) => fingerprintRequest(request).first.toString('hex'))).toEqual([
    'a186ec5869b085d90237fd2dec5891bc669100ea49fedb72c09e6628aa3710be',
    '0bb456e658f4db9cb101a6b2daf0fcf640b51ee8ab1eab8caa7d29242ae52be5',
  ]);
});

test('a fingerprint counts a default of the specification like its absence', () => {
  const defaults = { aspect_ratio: '16:9', num_outputs: 1, resolution: '1k' } as const;
  expect(fingerprintRequest({ ...PROMPT, ...defaults })).toEqual(fingerprintRequest(PROMPT));
});

test('a field that was added later changes the second part alone, and each value differently', () => {
  const plain = fingerprintRequest(PROMPT);
  const added = [
    { quality: 'low' },
    { quality: 'high' },
    { seed: 7 },
    { output_format: 'webp' },
    { background: 'transparent' },
    { seed: 7, quality: 'high' },
  ] as const;
  const prints = added.map((fields) => fingerprintRequest({ ...PROMPT, ...fields }));
  for (const print of prints) {
    expect(print.first).toEqual(plain.first);
  }
  const seconds = [plain, ...prints].map((print) => print.added.toString('hex'));
  expect(new Set(seconds).size).toBe(added.length + 1);
});
