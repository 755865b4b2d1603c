/** A stored conversation: operators read what its caller stored, from turn to turn; lesser roles see that there was a call. */
import OpenAI from 'openai';
import type { Browser, Page } from 'playwright-core';
import { type Watched, waitUntilDrawn } from '../browser.ts';
import type { Checks } from '../checks.ts';
import type { DevGateway } from '../dev-gateway.ts';
import { signInAs } from './roles.ts';

const ACCOUNT = 'default';
const MODEL = 'simulator/echo';
const QUESTIONS = ['My name is Ann, and I like long walks.', 'What do I like?'];
/** Records are written a moment after their answers. */
const TRIES = 20;

type Talk = { readonly conversationId: string; readonly requestIds: readonly string[] };

async function talks({ url, key }: DevGateway): Promise<Talk> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const { id: conversationId } = await openai.conversations.create({});
  const requestIds: string[] = [];
  for (const input of QUESTIONS) {
    const asked = openai.responses.create({ model: MODEL, conversation: conversationId, input });
    const { response } = await asked.withResponse();
    requestIds.push(response.headers.get('x-request-id') ?? '');
  }
  return { conversationId, requestIds };
}

async function followUp({ url, key }: DevGateway, requestId: string): Promise<string> {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
  const asked = openai.responses.create({
    model: MODEL,
    previous_response_id: `resp_${requestId}`,
    input: 'And more?',
  });
  const { response } = await asked.withResponse();
  return response.headers.get('x-request-id') ?? '';
}

async function opensRequest(page: Page, { adminUrl }: DevGateway, id: string, search = ''): Promise<void> {
  const tabs = page.getByRole('tab', { name: 'Path' });
  for (let tries = 0; tries < TRIES && (await tabs.count()) === 0; tries++) {
    await page.goto(`${adminUrl}/console/requests/${id}${search}`);
    await waitUntilDrawn(page);
  }
}

/** Returns the request whose stored response was looked at. */
export async function readsStored(
  { page }: Watched,
  browser: Browser,
  gateway: DevGateway,
  checks: Checks,
): Promise<string> {
  const { conversationId, requestIds } = await talks(gateway);
  const [, second = ''] = requestIds;
  const third = await followUp(gateway, second);
  await opensRequest(page, gateway, third);
  await page.getByRole('tab', { name: 'Stored' }).click();
  const input = page.getByRole('region', { name: 'Input' });
  await input.getByText('And more?').waitFor();
  checks.is('the stored input is what this turn sent', await input.getByText(QUESTIONS[1] ?? '').count(), 0);
  await page.getByRole('region', { name: 'Answer' }).getByText(`resp_${third}`).waitFor();
  await page.getByText('Kept until').waitFor();
  checks.holds('the answer is beside it, with the time it goes', true);
  await page.getByRole('link', { name: second }).click();
  await input.getByText(QUESTIONS[1] ?? '').waitFor();
  await page.getByText(conversationId).first().waitFor();
  checks.holds('a turn leads to the one before, which says its conversation', page.url().includes(second));

  const calls = page.getByRole('region', { name: 'Calls of this conversation' });
  for (let tries = 0; tries < TRIES && (await calls.getByText('2 calls').count()) === 0; tries++) {
    await page.goto(`${gateway.adminUrl}/console/requests/${second}?tab=conversation`);
    await waitUntilDrawn(page);
  }
  checks.is('the calls of a stored conversation are one conversation', await calls.getByText('2 calls').count(), 1);

  const context = await browser.newContext({ locale: 'en-US' });
  const viewer = await signInAs(context, gateway, ACCOUNT, 'viewer');
  await opensRequest(viewer, gateway, second, '?tab=stored');
  const tabs = await viewer.getByRole('tab').allTextContents();
  checks.is('who may not read content has no tab of it', tabs, ['Path', 'Bill', 'Conversation', 'Raw']);
  checks.holds('and nothing of it', !(await viewer.content()).includes(QUESTIONS[1] ?? ''));
  await context.close();
  return third;
}
