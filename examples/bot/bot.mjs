// Draws what people ask for in a chat. An update counts as read only after its answer was sent, and its id is the idempotency key.
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ImageGateway, TaskFailedError } from '@image-gateway/client';

const { BOT_TOKEN, BOT_API = 'https://api.telegram.org', MODEL = 'nanobanana' } = process.env;
const WAIT_SECONDS = 25;
const gateway = new ImageGateway();

/** Calls a method of the bot API, again and again while it does not answer. */
async function call(method, body) {
  for (;;) {
    try {
      const response = await fetch(`${BOT_API}/bot${BOT_TOKEN}/${method}`, {
        method: 'POST',
        headers: body instanceof FormData ? {} : { 'content-type': 'application/json' },
        body: body instanceof FormData ? body : JSON.stringify(body),
      });
      const { ok, result, description } = await response.json();
      if (ok) {
        return result;
      }
      console.error(`${method}: ${description}`);
    } catch (error) {
      console.error(`${method}: ${error.message}`);
    }
    await sleep(2_000);
  }
}

/** Reads a photo of the chat as a data URL. Its address is a secret of the bot, and a repetition sends the same bytes. */
async function readPhoto(photo) {
  const { file_path: file } = await call('getFile', { file_id: photo.file_id });
  const response = await fetch(`${BOT_API}/file/bot${BOT_TOKEN}/${file}`);
  return `data:image/jpeg;base64,${Buffer.from(await response.arrayBuffer()).toString('base64')}`;
}

async function answer({ update_id: id, message }) {
  const [, command, prompt] = /^\/(draw|edit) (.+)$/s.exec(message?.text ?? message?.caption ?? '') ?? [];
  const photo = message?.photo?.at(-1);
  if (command === undefined || (command === 'edit' && photo === undefined)) {
    return;
  }
  const chat = message.chat.id;
  try {
    const image_urls = command === 'edit' ? [await readPhoto(photo)] : undefined;
    const request = { model: MODEL, prompt, image_urls };
    const task = await gateway.subscribe(request, { idempotencyKey: `update-${id}` });
    const form = new FormData();
    form.append('chat_id', String(chat));
    form.append('caption', task.cost);
    const { url } = task.output;
    form.append('photo', new Blob([await gateway.files.download(url)]), `image${path.extname(url)}`);
    await call('sendPhoto', form);
  } catch (error) {
    const text =
      error instanceof TaskFailedError ? error.message : 'That did not work. Please try again later.';
    console.error(error);
    await call('sendMessage', { chat_id: chat, text });
  }
}

let offset = 0;
for (;;) {
  const updates = await call('getUpdates', { offset, timeout: WAIT_SECONDS });
  // Side by side; the next request says that all of them were answered.
  await Promise.all(updates.map(answer));
  offset = Math.max(offset, ...updates.map(({ update_id: id }) => id + 1));
}
