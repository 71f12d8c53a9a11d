import type { Mutant } from './mutant.js';

/** Defects in what is done to the bytes of images. */
export const imageMutants: readonly Mutant[] = [
  {
    name: 'png-checksums-ignored',
    defect: 'a delivered PNG is taken although the checksums of its chunks are wrong',
    edits: [
      {
        file: 'apps/generation-worker/src/images/png/is-sound-png.ts',
        find: 'if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {',
        replace: 'if (end > bytes.length) {',
      },
    ],
    hunters: ['apps/generation-worker/src/images/garbage.test.ts'],
  },
  {
    name: 'slow-reader-keeps-connection',
    defect: 'a client that does not read its download keeps a connection to the object store',
    edits: [
      {
        file: 'apps/api/src/handlers/files/create-download.ts',
        find: 'body.readableLength > getShare()',
        replace: 'body.readableLength < 0',
      },
    ],
    hunters: ['apps/api/src/handlers/files/create-object-reader.test.ts'],
  },
];
