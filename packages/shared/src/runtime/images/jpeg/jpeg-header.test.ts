import { expect, test } from '@jest/globals';
import sharp from 'sharp';
import { holdsWholeJpeg } from './jpeg-header.js';

const flat = () => sharp({ create: { width: 80, height: 60, channels: 3, background: '#3579a0' } });

test('a JPEG is held whole unless it is one sequential scan of all components', async () => {
  const usual = await flat().jpeg().toBuffer();
  expect(holdsWholeJpeg(usual)).toBe(false);
  expect(holdsWholeJpeg(await flat().grayscale().jpeg().toBuffer())).toBe(false);
  expect(holdsWholeJpeg(await flat().jpeg({ progressive: true }).toBuffer())).toBe(true);
  const frame = usual.indexOf(Buffer.from([0xff, 0xc0]));
  const scan = usual.indexOf(Buffer.from([0xff, 0xda]));
  const onlyFirst = Buffer.from(usual);
  onlyFirst[scan + 4] = 1;
  expect(holdsWholeJpeg(onlyFirst)).toBe(true);
  const arithmetic = Buffer.from(usual);
  arithmetic[frame + 1] = 0xc9;
  expect(holdsWholeJpeg(arithmetic)).toBe(true);
  expect(holdsWholeJpeg(Buffer.alloc(100, 0xff))).toBe(true);
});
