import type { Mutant } from '../mutant.js';

/** Defects in what is done to the bytes of images. */
export const imageMutants: readonly Mutant[] = [
  {
    name: 'png-checksums-ignored',
    defect: 'a delivered PNG is taken although the checksums of its chunks are wrong',
    edits: [
      {
        file: 'packages/shared/src/runtime/images/png/is-sound-png.ts',
        find: 'if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {',
        replace: 'if (end > bytes.length) {',
      },
    ],
    hunters: ['packages/shared/src/runtime/images/garbage.test.ts'],
  },
  {
    name: 'slow-reader-keeps-connection',
    defect: 'a client that does not read its download keeps a connection to the object store',
    edits: [
      {
        file: 'apps/api/src/file/create-download.ts',
        find: 'body.readableLength > getShare()',
        replace: 'body.readableLength < 0',
      },
    ],
    hunters: ['apps/api/src/file/create-object-reader.test.ts'],
  },
  {
    name: 'cut-pause-cuts-download',
    defect: 'a download ends when the store ends the connection that waited for its slow client',
    edits: [
      {
        file: 'apps/api/src/file/create-download.ts',
        find: 'if (!isKept) {',
        replace: 'if (at > 0) {',
      },
    ],
    hunters: ['apps/api/src/file/create-object-reader.test.ts'],
  },
  {
    name: 'waiting-connection-keeps-place',
    defect: 'a connection that waits for a slow client keeps its place at the store',
    edits: [
      {
        file: 'apps/api/src/file/create-object-reader.ts',
        find: '            release();\n            release = kept;',
        replace: '            release = kept;',
      },
    ],
    hunters: ['apps/api/src/file/create-object-reader.test.ts'],
  },
  {
    name: 'arriving-takes-all-memory',
    defect: 'responses that are still arriving may hold all memory, also that of whole ones',
    edits: [
      {
        file: 'apps/generation-worker/src/responses/create-response-store.ts',
        find: 'Math.floor(options.memoryBytes / 2)',
        replace: 'options.memoryBytes',
      },
    ],
    hunters: ['apps/generation-worker/src/responses/create-response-store.test.ts'],
  },
  {
    name: 'base64-carry-lost',
    defect: 'letters of base64 at the end of a piece are lost',
    edits: [
      {
        file: 'apps/generation-worker/src/providers/http/base64-writer.ts',
        find: 'carry = letters.slice(whole);',
        replace: "carry = '';",
      },
    ],
    hunters: ['apps/generation-worker/src/providers/http/json-decoder.test.ts'],
  },
  {
    name: 'room-too-small',
    defect: 'a response takes less memory than its images have bytes',
    edits: [
      {
        file: 'apps/generation-worker/src/providers/http/json-decoder.ts',
        find: 'Math.ceil((3 * bytes) / 4)',
        replace: 'Math.ceil((2 * bytes) / 3)',
      },
    ],
    hunters: ['apps/generation-worker/src/providers/http/json-decoder.test.ts'],
  },
  {
    name: 'decoder-with-compiler',
    defect:
      'the decoder process reserves memory for compiled code, which its limit does not allow on Node 24',
    edits: [
      {
        file: 'packages/shared/src/runtime/images/decoder/run-decoder-process.ts',
        find: "'--jitless', ",
        replace: '',
      },
    ],
    hunters: ['packages/shared/src/runtime/images/decoder/run-decoder-process.test.ts'],
  },
  {
    name: 'decoder-that-cannot-start-blames-image',
    defect: 'an image is refused although its decoder could not be started',
    edits: [
      {
        file: 'packages/shared/src/runtime/images/decoder/run-decoder-process.ts',
        find: 'throw unavailable(`${message} before it looked at the image`);',
        replace: 'throw refused(message);',
      },
    ],
    hunters: ['apps/generation-worker/test/inputs.test.ts'],
  },
  {
    name: 'small-image-with-metadata',
    defect: 'a small photo reaches the provider sideways, with the place where it was taken',
    edits: [
      {
        file: 'packages/shared/src/runtime/images/create-resizer.ts',
        find: '[exif, xmp, iptc, comments].every((found) => found === undefined)',
        replace: '[exif, xmp, iptc, comments].every((found) => found !== null)',
      },
    ],
    hunters: ['packages/shared/src/runtime/images/create-resizer.test.ts'],
  },
  {
    name: 'restart-markers-uncounted',
    defect: 'a JPEG that has lost rows is taken, because bytes before a restart marker hide it',
    edits: [
      {
        file: 'packages/shared/src/runtime/images/decoder/decode-image.ts',
        find: '(BYTES_BEFORE_RESTART.test(message) && hasAllRestarts(bytes))',
        replace: '(BYTES_BEFORE_RESTART.test(message) && hasAllRestarts !== null)',
      },
    ],
    hunters: ['packages/shared/src/runtime/images/odd-jpegs.test.ts'],
  },
];
