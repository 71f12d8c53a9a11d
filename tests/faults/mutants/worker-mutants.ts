import type { Mutant } from './mutant.js';

const worker = 'apps/generation-worker/src';

/** Defects in the order of steps, in what is believed and in what is asked again. */
export const workerMutants: readonly Mutant[] = [
  {
    name: 'charged-before-stored',
    defect: "a picture's row is written, and so charged, before the picture is put",
    edits: [
      {
        file: `${worker}/steps/store.ts`,
        find: '    const other = await persist(',
        replace: `    if (slot >= 0) {
      await persist(() => writeOutput(deps, attempt, { key, picture, slot }), { signal, log });
      placeObject(deps, attempt, { key, picture, slot }).then(
        () => undefined,
        () => undefined,
      );
      continue;
    }
    const other = await persist(`,
      },
    ],
    hunters: ['storage-killed', 'storage-away', 'storage-swallow'],
  },
  {
    name: 'put-believed',
    defect: 'what the object store says about a put is believed',
    edits: [
      {
        file: `${worker}/steps/place-object.ts`,
        find: 'if (found === bytes.length) return null;',
        replace: 'if (found <= bytes.length) return null;',
      },
    ],
    hunters: ['storage-swallow'],
  },
  {
    name: 'hint-before-commit',
    defect: 'workers are told of a task before it is committed',
    edits: [
      {
        file: 'apps/api/src/handlers/generate.ts',
        find: 'await acceptGeneration(deps.accept, {',
        replace: `await acceptGeneration({
      ...deps.accept,
      newId: (prefix) => {
        const id = deps.accept.newId(prefix);
        deps.hint(id, call.id, 1);
        return id;
      },
    }, {`,
      },
    ],
    hunters: ['hint-without-task'],
  },
  {
    name: 'unknown-asked-again',
    defect: 'a paid call whose answer was lost is made again',
    edits: [
      {
        file: `${worker}/plan/ceilings.ts`,
        find: '.length > history.ambiguousRetries) return',
        replace: '.length > history.ambiguousRetries + 9) return',
      },
    ],
    hunters: ['upstreams-unknown'],
  },
  {
    name: 'job-not-resumed',
    defect: 'a job that a dead worker has submitted is forgotten and bought once more',
    edits: [
      {
        file: `${worker}/steps/read-known.ts`,
        find: "  if (call.state === 'started') return",
        replace:
          "  if ((call.state as string) === 'submitted') return 'cut';\n  if (call.state === 'started') return",
      },
    ],
    hunters: ['upstreams-worker-killed'],
  },
  {
    name: 'takeover-forgets-pictures',
    // Either look finds what the other one would have found: one alone is missed by nobody, not even by the customer.
    defect:
      'whoever takes a task over looks neither at its rows nor at its objects for what is stored already',
    edits: [
      {
        file: `${worker}/steps/read-known.ts`,
        find: 'if (task.storedCount > 0) outputs',
        replace: 'if (task.storedCount > 99) outputs',
      },
      {
        file: `${worker}/steps/adopt.ts`,
        find: 'if (task.attempt === 1 ||',
        replace: 'if (task.attempt >= 1 ||',
      },
    ],
    hunters: ['worker-killed-halfway'],
  },
];
