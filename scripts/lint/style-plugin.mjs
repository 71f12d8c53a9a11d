const MAX_WORDS = 25;
const RIDDLE = /^(What|Who|Whoever|Whose|Whether|Nobody|Somebody|Everybody)\b(?!.*\?$)/;

// Private words, each with the standard term that readers expect.
const WORDS = {
  believed: 'cached',
  breather: 'cooperative yield',
  fitter: 'resizer',
  hinter: 'enqueuer',
  mend: 'fix or remediation',
  mended: 'fixed',
  mends: 'fixes or remediation',
  patience: 'timeout',
  picture: 'image',
  pictures: 'images',
  turnstile: 'connection semaphore',
  whoever: 'a noun',
  workshop: 'worker pool',
};

const splitSentences = (text) =>
  text
    .replaceAll(/`[^`]*`|\{@\w+[^}]*\}|\([^)]*\)|https?:\S+/g, ' x ')
    .split(/(?<=[.!?:;])\s+(?=[A-Z`(])/)
    .map((sentence) => sentence.trim())
    .filter(Boolean);

/** Returns the prose of one comment without its marks; null for directives and commented tags. */
function readProse(comment) {
  const text = comment.value
    .split('\n')
    .map((line) => line.replace(/^\s*\*?\s?/, ''))
    .filter((line) => !/^@\w+/.test(line))
    .join('\n')
    .trim();
  return /^(eslint|biome|@ts|#|istanbul|\/)/.test(text) || text === '' ? null : text;
}

/** Joins line comments that stand below each other, so that a sentence may span lines. */
function groupComments(comments) {
  const groups = [];
  for (const comment of comments) {
    const last = groups.at(-1);
    const isNext =
      last !== undefined &&
      comment.type === 'Line' &&
      last.type === 'Line' &&
      comment.loc.start.line === last.loc.end.line + 1;
    if (isNext) {
      last.value += `\n${comment.value}`;
      last.loc = { start: last.loc.start, end: comment.loc.end };
    } else {
      groups.push({ type: comment.type, value: comment.value, loc: comment.loc });
    }
  }
  return groups;
}

const plainComments = {
  meta: { type: 'suggestion', schema: [] },
  create: (context) => ({
    Program: () => {
      for (const comment of groupComments(context.sourceCode.getAllComments())) {
        const prose = readProse(comment);
        if (prose === null) {
          continue;
        }
        for (const paragraph of prose.split(/\n\s*\n|\n(?=\s*[-*] )/)) {
          for (const sentence of splitSentences(paragraph.replaceAll('\n', ' '))) {
            const report = (message) =>
              context.report({ loc: comment.loc, message: `${message}: "${sentence}"` });
            const count = sentence.split(/\s+/).filter((word) => /\w/.test(word)).length;
            if (RIDDLE.test(sentence)) {
              report('Begin a sentence with its technical noun or a verb');
            }
            if (count > MAX_WORDS) {
              report(`A sentence has at most ${MAX_WORDS} words, this one has ${count}`);
            }
            for (const word of sentence.toLowerCase().match(/[a-z]+/g) ?? []) {
              if (Object.hasOwn(WORDS, word)) {
                report(`Write ${WORDS[word]} instead of "${word}"`);
              }
            }
          }
        }
      }
    },
  }),
};

const splitName = (name) => name.split(/(?=[A-Z])|_/).map((part) => part.toLowerCase());

const plainNames = {
  meta: { type: 'suggestion', schema: [] },
  create: (context) => {
    const check = (node) => {
      if (node?.type !== 'Identifier') {
        return;
      }
      for (const word of splitName(node.name)) {
        if (Object.hasOwn(WORDS, word)) {
          context.report({ node, message: `Write ${WORDS[word]} instead of "${word}" in "${node.name}"` });
        }
      }
      if (/[a-z]Of$/.test(node.name)) {
        context.report({ node, message: `"${node.name}" is named by a preposition: use a verb or a noun` });
      }
      if (/^(MOST|LEAST|LONGEST|SHORTEST)_/.test(node.name)) {
        context.report({ node, message: `"${node.name}": constants begin with MAX_ or MIN_` });
      }
    };
    return {
      Program: (node) => {
        if (/-of(\.test)?\.tsx?$/.test(context.filename)) {
          context.report({ node, message: 'A file is named by a verb or a noun, not by a preposition' });
        }
      },
      FunctionDeclaration: (node) => check(node.id),
      VariableDeclarator: (node) => check(node.id),
      TSInterfaceDeclaration: (node) => check(node.id),
      TSTypeAliasDeclaration: (node) => check(node.id),
      TSPropertySignature: (node) => check(node.key),
      TSMethodSignature: (node) => check(node.key),
    };
  },
};

const noLiteralSpread = {
  meta: { type: 'suggestion', schema: [], fixable: 'code' },
  create: (context) => {
    const check = (node) => {
      const { type, properties, elements } = node.argument;
      const isLiteral = type === 'ObjectExpression' || type === 'ArrayExpression';
      if (!isLiteral || type !== node.parent.type) {
        return;
      }
      const text = context.sourceCode.getText(node.argument).slice(1, -1).trim().replace(/,$/, '');
      const hasContent = (properties ?? elements).length > 0;
      context.report({
        node,
        message: 'Write the entries of this literal without a spread',
        fix: (fixer) => (hasContent ? fixer.replaceText(node, text) : null),
      });
    };
    return { SpreadElement: check };
  },
};

/** Rules of CONTRIBUTING.md that no other linter has: plain comments, plain names, literals without spreads. */
export default {
  rules: {
    'plain-comments': plainComments,
    'plain-names': plainNames,
    'no-literal-spread': noLiteralSpread,
  },
};
