import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { findChromium } from '../browser/find-chromium.js';
import { type BrowserScene, openScene } from '../browser/open-scene.js';
import type { Visitor } from '../browser/open-visitor.js';
import {
  comeBackToRun,
  compareModels,
  editByKeyboard,
  editOnPhone,
  seeFaults,
  seeRefusal,
  waitAndCancel,
} from '../browser/playground-journeys.js';
import { LANGUAGES, runSamples } from '../browser/run-samples.js';
import { mustGateway } from './support/product/gateway.js';
import { preparePython } from './support/start-driver.js';

const chromium = await findChromium();
const hasPython = await preparePython();

let scene: BrowserScene;
let owner: Visitor;

(chromium === null ? describe.skip : describe)('the playground in a browser', () => {
  beforeAll(async () => {
    scene = await openScene(chromium ?? '', { RETRY_BACKOFF: '30' });
    owner = await scene.visitor();
    await owner.logIn(scene.product.run().demo);
  }, 700_000);
  afterAll(() => scene.close(), 120_000);

  test('the playground edits two images from disk with the keyboard alone: order, mask, seed, and the result once more', () =>
    editByKeyboard(scene, owner));

  test('the playground takes dropped images on a phone, a mask painted by hand, and draws variations', () =>
    editOnPhone(scene, owner));

  test('the playground keeps a run: its address brings form, files, mask and images back, and a look at an earlier one loses nothing', () =>
    comeBackToRun(scene, owner));

  test('two models are compared by price and fields, and one of them is tried in the playground', () =>
    compareModels(owner));

  test('the playground says that the provider failed and when it is asked again, and cancels a run', () =>
    waitAndCancel(scene, owner));

  test('the playground says beside a field what is wrong with it', () => seeFaults(scene, owner));

  test('the playground says in sight of its button that money is missing, as the overview does, and whom to ask', async () => {
    const who = { email: 'poor@example.com', password: 'correct horse 9' };
    const args = ['--email', who.email, '--password', who.password, '--balance', '0.005'];
    await mustGateway(scene.product, 'account', 'create', ...args);
    const poor = await scene.visitor();
    await poor.logIn(who);
    await seeRefusal(scene, poor);
  });

  for (const language of LANGUAGES) {
    (language[0] === 'Python' && !hasPython ? test.skip : test)(
      `the playground shows code that draws what its form would, files and mask too: ${language[0]}`,
      () => runSamples(scene, owner, language),
      60_000,
    );
  }
});
