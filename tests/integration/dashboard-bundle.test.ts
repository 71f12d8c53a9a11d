import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '../..');
const assets = path.join(root, 'apps/dashboard/dist/assets');
const bundle = fs
  .readdirSync(assets)
  .filter((file) => file.endsWith('.js'))
  .map((file) => fs.readFileSync(path.join(assets, file), 'utf8'))
  .join('\n');

/** Codes of Joi's errors. They are keys of objects that its messages are found by, so no minifier renames them. */
const JOI_CODES = ['any.required', 'string.empty', 'object.unknown'];

describe('built pages of the dashboard', () => {
  test('built pages of the dashboard come with the licences of what is in them', () => {
    const text = fs.readFileSync(path.join(assets, '../third-party-licenses.txt'), 'utf8');
    const { dependencies } = JSON.parse(
      fs.readFileSync(path.join(root, 'apps/dashboard/package.json'), 'utf8'),
    ) as { readonly dependencies: Readonly<Record<string, string>> };
    // The typeface is no script; NOTICE names it.
    const packages = Object.keys(dependencies).filter((name) => !/^@(image-gateway|fontsource)/.test(name));
    expect(packages.length).toBeGreaterThan(5);
    for (const name of packages) {
      expect(text).toMatch(new RegExp(`^## ${name} - `, 'm'));
    }
    expect(text).toContain('Permission is hereby granted');
    // The page of settings leads there.
    expect(bundle).toContain('/dashboard/third-party-licenses.txt');
  });

  test('built pages of the dashboard contain nothing of Joi', () => {
    expect(JOI_CODES.filter((code) => bundle.includes(code))).toEqual([]);
  });

  test('built pages of the dashboard are read, and the codes searched for are those of the installed Joi', () => {
    expect(bundle).toContain('/dashboard/api');
    const joi = path.dirname(createRequire(path.join(root, 'packages/shared/package.json')).resolve('joi'));
    const source = fs
      .readdirSync(joi, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.js'))
      .map((file) => fs.readFileSync(path.join(joi, file), 'utf8'))
      .join('\n');
    expect(JOI_CODES.filter((code) => !source.includes(code))).toEqual([]);
  });
});
