import { describe, expect, test } from '@jest/globals';
import { createStatementForms, type StatementForm } from './prepared-statements.js';

/** Runs a statement, whose first tries fail with these codes, and returns the forms that were tried. */
async function tryForms(
  forms: ReturnType<typeof createStatementForms>,
  statement: { readonly name: string; readonly text: string },
  ...codes: string[]
): Promise<StatementForm[]> {
  const tried: StatementForm[] = [];
  await forms
    .run(statement, async (form) => {
      tried.push(form);
      const code = codes.shift();
      if (code !== undefined) {
        throw Object.assign(new Error(code), { code });
      }
    })
    .catch(() => undefined);
  return tried;
}

describe('forms of statements', () => {
  test('forms of statements have one name for one text, so that a session shared by releases never runs the text of another', async () => {
    const forms = createStatementForms();
    const [[a], [b], [again]] = await Promise.all([
      tryForms(forms, { name: 'claim', text: 'SELECT 1' }),
      tryForms(forms, { name: 'claim', text: 'SELECT 2' }),
      tryForms(createStatementForms(), { name: 'claim', text: 'SELECT 1' }),
    ]);
    expect(a?.name).toMatch(/^claim-/);
    expect(b?.name).not.toBe(a?.name);
    expect(again).toEqual(a);
  });

  test.each(['26000', '42P05'])(
    'forms of statements lose their names after %s, and the statement is repeated once',
    async (code) => {
      const forms = createStatementForms();
      const statement = { name: 'claim', text: 'SELECT 1' };
      expect(await tryForms(forms, statement, code)).toEqual([
        { name: expect.stringMatching(/^claim-/), text: 'SELECT 1' },
        { text: 'SELECT 1' },
      ]);
      expect(await tryForms(forms, statement, code)).toEqual([{ text: 'SELECT 1' }]);
    },
  );

  test('forms of statements keep their names after any other error, and nothing is repeated', async () => {
    const forms = createStatementForms();
    const statement = { name: 'claim', text: 'SELECT 1' };
    expect(await tryForms(forms, statement, '57014')).toHaveLength(1);
    expect(await tryForms(forms, statement)).toEqual([
      { name: expect.stringMatching(/^claim-/), text: 'SELECT 1' },
    ]);
  });
});
