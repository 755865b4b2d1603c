/** The playground: an answer as text, a video from order to player, and its operation in the list. */
import type { Locator, Page } from 'playwright-core';
import { silence } from '../../../tests/support/sound-probe.ts';
import { drawnAgain, seriousFindings, type Watched } from '../browser.ts';
import type { Checks } from '../checks.ts';
import type { DevGateway } from '../dev-gateway.ts';

/** With a key, a request and an operation in the end. */
export const ACCOUNT = 'played';
const WORDS = 'Where do <b>three roads</b> meet?';
/** The simulator takes its time over a video, as providers do. */
const VIDEO_MS = 90_000;

async function makeKey({ adminUrl, operatorSecret }: DevGateway): Promise<void> {
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${adminUrl}/admin/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorSecret}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await post('/accounts', { id: ACCOUNT, name: 'Played', kind: 'unlimited' });
  await post(`/accounts/${ACCOUNT}/keys`, { name: 'playground' });
}

/** From the player: whether there is a frame to show (`HAVE_CURRENT_DATA`), how long it is, and that it comes to its end. */
const playedOf = (video: Locator): Promise<unknown> =>
  video.evaluate(async (element) => {
    const player = element as unknown as {
      muted: boolean;
      readonly readyState: number;
      readonly duration: number;
      readonly videoWidth: number;
      play(): Promise<void>;
      addEventListener(name: string, listener: () => void): void;
    };
    player.muted = true;
    const ended = new Promise<void>((resolve) => player.addEventListener('ended', resolve));
    await player.play();
    await ended;
    return { canPlay: player.readyState >= 2, seconds: player.duration, width: player.videoWidth };
  });

/** A second of silence. */
const RECORDING = silence(1);

/** One pixel. */
const PICTURE = {
  name: 'pixel.png',
  mimeType: 'image/png',
  buffer: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
};

/** Makes the browser slow at reading files: each is read when `readNow` is called. */
const SLOW_READER = `{
  const read = FileReader.prototype.readAsDataURL;
  FileReader.prototype.readAsDataURL = function (file) { window.readNow = () => read.call(this, file); };
}`;

async function writesWhileAPictureLoads(page: Page, checks: Checks): Promise<void> {
  await page.evaluate(SLOW_READER);
  const message = page.locator('textarea[name=message]');
  await page.locator('input[type=file]').setInputFiles(PICTURE);
  await message.fill('written while it loads');
  await page.evaluate('readNow()');
  await page.getByRole('img', { name: 'Picture 1' }).waitFor();
  checks.is('what is written while a picture loads is kept', await message.inputValue(), 'written while it loads');
  await page.getByLabel('Temperature').fill('0,7');
  checks.is('a decimal comma is a point', await page.getByLabel('Temperature').inputValue(), '0.7');
  await page.getByLabel('Temperature').fill('');
  await page.getByRole('button', { name: 'Remove pictures' }).click();
  await page.locator('input[type=file]').setInputFiles(PICTURE);
  await page.evaluate('readNow()');
  await page.getByRole('img', { name: 'Picture 1' }).waitFor();
  await page.getByRole('button', { name: 'Remove pictures' }).click();
}

/** A column that appears, or comes back after a protocol that no model speaks, has not been asked for anything. */
async function asksOnlyWhenSent(page: Page, checks: Checks): Promise<void> {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/admin/v1/playground')) asked.push(request.postData() ?? '');
  });
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('region', { name: 'simulator/' }).nth(1).waitFor();
  await drawnAgain(page);
  checks.is('a column beside another asks for nothing by itself', asked, []);
  await page.keyboard.type('gp');
  const typed = await page.getByPlaceholder('Model', { exact: true }).inputValue();
  checks.is('its model is chosen next, by typing', typed, 'gp');
  await page.keyboard.press('Escape');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  await page.keyboard.type('gp');
  await drawnAgain(page);
  checks.holds('no shortcut leaves the page while a draft would be lost', page.url().includes('/playground'));
}

const numbered = (make: (at: string) => object) =>
  Array.from({ length: 450 }, (_, at) => make(String(at).padStart(3, '0')));
const MANY = {
  keys: numbered((at) => ({ id: `key_${at}`, name: `app ${at}`, accountId: ACCOUNT, prefix: `sk-trivium-${at}` })),
  models: numbered((at) => ({
    id: `many/m${at}`,
    displayName: `M ${at}`,
    outputModalities: [at === '449' ? 'image' : 'text'],
  })),
};

/** More keys and models than a page of the API has. */
async function choosesOneOfMany(page: Page, base: string, checks: Checks): Promise<void> {
  const path = /\/admin\/v1\/(keys|models)\?/;
  await page.route(path, (route) => {
    const { href, searchParams: query } = new URL(route.request().url());
    const rows = MANY[path.exec(href)?.[1] as keyof typeof MANY];
    const found = rows.filter((row) => JSON.stringify(row).includes(query.get('q') ?? ''));
    const start = Number(query.get('after') ?? 0);
    const end = start + Math.min(Number(query.get('limit')), 200);
    return route.fulfill({
      json: { items: found.slice(start, end), next: end < found.length ? String(end) : null },
    });
  });
  await page.goto(`${base}/playground?account=${ACCOUNT}`);
  await page.getByRole('button', { name: 'Key: app 000' }).click();
  await page.getByPlaceholder('Key', { exact: true }).fill('sk-trivium-440');
  await page.getByRole('option', { name: 'app 440' }).click();
  await page.getByRole('button', { name: 'Key: app 440' }).waitFor();
  await page.getByRole('button', { name: 'Model: many/m000' }).click();
  await page.getByPlaceholder('Model', { exact: true }).fill('m440');
  await page.getByRole('option', { name: 'many/m440' }).click();
  await page.getByRole('button', { name: 'Model: many/m440' }).waitFor();
  checks.holds('a key and a model behind the first page of the list can be chosen', true);
  await page.reload();
  await page.getByRole('button', { name: 'Key: app 440' }).waitFor();
  checks.holds('and the key stays', true);
  await page.getByLabel('Protocol').selectOption('image');
  await page.getByRole('button', { name: 'Model: many/m449' }).waitFor();
  checks.holds('a model is found by what it makes, wherever it is in the list', true);
  // A page that still follows these lists would ask the real ones to go on after a row that they do not have.
  await page.goto('about:blank');
  await page.unroute(path);
}

const send = (page: Page): Promise<void> => page.getByRole('button', { name: 'Send', exact: true }).click();

/** Speaks, listens to what was said, and ranks documents. */
async function speaksListensAndRanks(page: Page, base: string, checks: Checks): Promise<void> {
  const open = (mode: string) => page.goto(`${base}/playground?account=${ACCOUNT}&mode=${mode}`);
  const findsNothing = async (what: string): Promise<void> =>
    checks.is(`${what}: axe-core finds nothing serious`, await seriousFindings(page), []);
  await open('speech');
  await page.getByLabel('Text to speak').fill(WORDS);
  await page.getByLabel('Voice').fill('alloy');
  await page.getByLabel('Format').selectOption('wav');
  await send(page);
  const sound = page.locator('audio');
  await sound.waitFor();
  const canPlay = `new Promise((resolve) => {
    const [sound] = document.getElementsByTagName('audio');
    if (sound.readyState > 0) resolve(sound.duration > 0);
    sound.onloadedmetadata = () => resolve(sound.duration > 0);
    sound.onerror = () => resolve(sound.error.message);
  })`;
  checks.is('what was spoken can be played', await page.evaluate(canPlay), true);
  checks.holds('speech begins with a first byte', await page.getByText('first byte').isVisible());
  await findsNothing('speech');

  await open('transcription');
  await page.locator('input[type=file]').setInputFiles({ name: 'talk.wav', mimeType: 'audio/wav', buffer: RECORDING });
  await page.getByText('talk.wav').waitFor();
  await page.getByLabel('Format').selectOption('srt');
  await send(page);
  await page.getByText('00:00:00,000 -->').waitFor();
  checks.holds('a recording becomes subtitles', true);
  await findsNothing('transcription');

  await open('rerank');
  await page.getByLabel('Query').fill('Where do three roads meet?');
  await page.getByLabel('Documents').fill('At sea\nThree roads meet at a junction');
  await send(page);
  await page.getByRole('cell', { name: 'Three roads meet at a junction' }).waitFor();
  const best = await page.getByRole('row').first().innerText();
  checks.holds(`the best document comes first (${best})`, best.includes('junction'));
  await page.getByLabel('How many results').fill('1');
  await send(page);
  await page.getByRole('cell', { name: 'At sea' }).waitFor({ state: 'detached' });
  checks.is('one result is wanted', await page.getByRole('row').count(), 1);
  await findsNothing('rerank');
}

export async function playsWithModels({ page }: Watched, gateway: DevGateway, checks: Checks): Promise<void> {
  await makeKey(gateway);
  const base = new URL('/console', page.url()).href;
  await page.goto(`${base}/playground?account=${ACCOUNT}&models=simulator/echo`);
  await page.locator('textarea[name=message]').fill(WORDS);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText(`You said: “${WORDS}”`).waitFor();
  checks.holds('the playground shows an answer as text', true);
  await page.getByText(/^\$0\.0/).waitFor();
  checks.holds('and what it cost', true);
  await writesWhileAPictureLoads(page, checks);
  await asksOnlyWhenSent(page, checks);

  await choosesOneOfMany(page, base, checks);

  await page.goto(`${base}/playground?account=${ACCOUNT}&mode=video`);
  await page.locator('textarea[name=message]').fill('Three roads at dusk');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const video = page.locator('video');
  await video.waitFor({ timeout: VIDEO_MS });
  const source = (await video.getAttribute('src')) ?? '';
  const clip = await page.request.get(new URL(source, base).href, { headers: { range: 'bytes=4-7' } });
  checks.is(
    'a video is served to its player from the console’s own origin',
    [clip.status(), await clip.text()],
    [206, 'ftyp'],
  );
  checks.is('and plays', await playedOf(video), { canPlay: true, seconds: 2, width: 320 });

  await speaksListensAndRanks(page, base, checks);

  await page.goto(`${base}/operations?account=${ACCOUNT}`);
  await page.getByText('simulator/video').first().waitFor();
  checks.holds('the operation is in the list', true);
}
