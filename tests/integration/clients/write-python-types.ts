import type { Schema, Schemas } from './describe-schemas.js';

const HEADER = `# Written by the tests from the OpenAPI document: RECORD_INTERFACE=1 npm test -- --only client-types
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict, Union

`;
const SCALARS: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
};
const toClassName = (name: string): string =>
  name.replace(/(?:^|[^0-9A-Za-z]+)([0-9A-Za-z])/g, (_, letter: string) => letter.toUpperCase());
/** Words of the language get an underscore. */
const toFieldName = (name: string): string => (name === 'from' ? 'from_' : name);
/** Bodies and queries that callers write: dictionaries, whose keys are keyword arguments. */
const isInput = (name: string): boolean => /Request$|Query$/.test(name);

/**
 * Writes the schemas as Python: frozen dataclasses for what the gateway answers, dictionaries with typed keys for what callers
 * write. Knows the keywords that the document uses, and throws an Error for others.
 */
export function writePythonTypes(schemas: Schemas): string {
  const classes: string[] = [];
  const unions: string[] = [];

  const writeType = (schema: Schema, name: string, input: boolean): string => {
    const { $ref, type, items, properties, additionalProperties, anyOf } = schema;
    if ($ref !== undefined) {
      return $ref.split('/').at(-1) ?? '';
    }
    if (anyOf !== undefined) {
      return [...new Set(anyOf.map((one) => writeType(one, name, input)))].join(' | ');
    }
    if (schema.const !== undefined || schema.enum !== undefined) {
      const values = schema.enum?.filter((value) => value !== null) ?? [schema.const];
      const literal = `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
      return schema.enum?.includes(null) ? `${literal} | None` : literal;
    }
    const [main = '', nothing] = typeof type === 'string' ? [type] : (type ?? []);
    const optional = nothing === undefined ? '' : ' | None';
    if (main === 'array' && items !== undefined) {
      const list = input ? 'Sequence' : 'list';
      return `${list}[${writeType(items, `${name}Item`, input)}]${optional}`;
    }
    const names = Object.keys(properties ?? {});
    if (main === 'object' && names.some((key) => !/^[A-Za-z_]\w*$/.test(key))) {
      const key = `Literal[${names.map((one) => JSON.stringify(one)).join(', ')}]`;
      return `dict[${key}, ${writeType(Object.values(properties ?? {})[0] ?? {}, `${name}Value`, input)}]${optional}`;
    }
    if (main === 'object' && properties !== undefined) {
      writeClass(name, schema, input);
      return `${name}${optional}`;
    }
    if (main === 'object') {
      const value = additionalProperties ? writeType(additionalProperties, `${name}Value`, input) : 'object';
      return `dict[str, ${value}]${optional}`;
    }
    const scalar = SCALARS[main];
    if (scalar === undefined) {
      throw new Error(`${name}: the types of the Python client do not know ${JSON.stringify(schema)}`);
    }
    return scalar + optional;
  };

  const writeClass = (name: string, schema: Schema, input: boolean): void => {
    const { properties = {}, required = [], description } = schema;
    const all = Object.entries(properties).map(([key, field]) => ({
      key,
      field,
      type: writeType(field, name + toClassName(key), input),
      isRequired: required.includes(key),
    }));
    const about = (text: string | undefined): string => (text === undefined ? '' : `    """${text}"""\n`);
    const line = ({ key, field, type, isRequired }: (typeof all)[number]): string => {
      const optional = isRequired || input ? '' : `${type.endsWith(' | None') ? '' : ' | None'} = None`;
      return `    ${toFieldName(key)}: ${type}${optional}\n${about(field.description)}`;
    };
    const needed = all.filter(({ isRequired }) => isRequired).map(line);
    const others = all.filter(({ isRequired }) => !isRequired).map(line);
    const empty = [...needed, ...others].length === 0 ? '    pass\n' : '';
    if (!input) {
      classes.push(
        `@dataclass(frozen=True)\nclass ${name}:\n${about(description)}${needed.join('')}${others.join('')}${empty}`,
      );
      return;
    }
    const base = needed.length === 0 ? 'TypedDict' : `_${name}`;
    if (needed.length > 0) {
      classes.push(`class _${name}(TypedDict):\n${needed.join('')}`);
    }
    classes.push(`class ${name}(${base}, total=False):\n${about(description)}${others.join('')}${empty}`);
  };

  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.oneOf) {
      const members = schema.oneOf.map((one) => writeType(one, name, false));
      unions.push(`${name} = Union[${members.join(', ')}]\n`);
    } else {
      writeClass(name, schema, isInput(name));
    }
  }
  return `${HEADER}\n${classes.join('\n\n')}\n\n${unions.join('')}`;
}
