// Turns a video vendor into a dialect: submission, polling and the clips themselves, strict by default.
import { readInstructions } from '../../instruction.ts';
import { parseJsonBytes } from '../../json-text.ts';
import { isRecord, type JsonRecord } from '../../json-value.ts';
import type { VendorRequest } from '../../wire.ts';
import { headerText } from '../../wire.ts';
import type { DialectOptions, Reply, SimulatedDialect, UnderstoodRequest } from '../dialect.ts';
import { isJsonContent } from '../judgement.ts';
import { json, replyOnly } from '../replies.ts';
import { MP4 } from './mp4.ts';
import { clipShapes } from './shapes.ts';
import type { ClipTask, ClipTasks } from './tasks.ts';
import type { ClipVendor, TaskReport } from './vendor.ts';

const CLIP = /^\/clips\/(clip-[0-9]+)\/([0-9]+)\.mp4$/u;
const DEFAULT_POLLS = 1;

export function clipDialect(vendor: ClipVendor, tasks: ClipTasks): SimulatedDialect {
  const renderer = replyOnly(({ status, code }) => vendor.refusal(status, code ?? `Simulated error ${status}`));
  const reply = (answer: Reply, more: object = {}): UnderstoodRequest => ({
    kind: 'reply',
    reply: answer,
    renderer,
    ...more,
  });
  const refuse = (status: number, message: string, body?: unknown): UnderstoodRequest => ({
    kind: 'refused',
    reply: vendor.refusal(status, message),
    reason: message,
    body,
  });
  const reportOf = (request: VendorRequest, task: ClipTask, ask: boolean): TaskReport => ({
    task,
    state: ask ? tasks.ask(task) : tasks.stateOf(task),
    clipUrl: (nth) => {
      const place = request.host === '' ? request.vendor : `${request.vendor}@${request.host}`;
      return `http://${request.headers.host ?? ''}/${place}/clips/${task.id}/${nth}.mp4`;
    },
  });
  const isOwn = (task: ClipTask | undefined, { vendor: name, host }: VendorRequest): task is ClipTask =>
    task !== undefined && task.vendor === name && task.host === host;

  function submit(
    request: VendorRequest,
    options: DialectOptions,
    body: JsonRecord,
    remixed?: ClipTask,
  ): UnderstoodRequest {
    const shape = (remixed && vendor.remix?.shape) ?? vendor.submit.shape;
    const problem = options.lenient ? undefined : clipShapes.first(shape, body);
    if (problem !== undefined) {
      const { path, kind, expected } = problem;
      return refuse(400, `${path.join('.')}: ${kind} (${expected})`, body);
    }
    const objection = options.lenient ? undefined : vendor.submit.objection?.(body, request);
    if (objection !== undefined) return refuse(400, objection, body);
    const facts = {
      ...vendor.submit.facts(body, request),
      ...(remixed && { model: remixed.model, seconds: remixed.seconds }),
    };
    const { clip = 'done', polls = DEFAULT_POLLS } = readInstructions([facts.prompt]);
    const task = tasks.open({ ...facts, vendor: request.vendor, host: request.host, fate: clip, polls });
    const accepted = vendor.submit.accepted(task, request);
    return reply(json(200, accepted), { body, model: facts.model });
  }

  function question(request: VendorRequest, body: JsonRecord): UnderstoodRequest {
    const also = vendor.also?.reply(request, (id) => {
      const task = tasks.find(id);
      return isOwn(task, request) ? reportOf(request, task, false) : undefined;
    });
    if (also !== undefined) return reply(also);
    const id = vendor.taskIn === undefined ? vendor.taskPath.exec(request.path)?.[1] : vendor.taskIn(request, body);
    const task = tasks.find(id ?? '');
    if (!isOwn(task, request)) return refuse(404, 'There is no such task.', body);
    const report = reportOf(request, task, true);
    const status = report.state.kind === 'waiting' ? (vendor.waitingStatus ?? 200) : 200;
    return reply(json(status, vendor.statusBody(report, request)));
  }

  return {
    name: vendor.name,
    vendors: vendor.vendors,
    paths: [CLIP, vendor.submit.path, vendor.remix?.path, vendor.taskPath, vendor.also?.path, vendor.contentOf].filter(
      (path) => path !== undefined,
    ),
    understand: (request, options) => {
      const clip = CLIP.exec(request.path);
      if (clip !== null) return tasks.find(clip[1] ?? '') === undefined ? refuse(404, 'gone') : reply(CLIP_REPLY);
      if (!options.lenient && !vendor.isWelcome(request, options)) return refuse(401, 'The credential is not valid.');
      const content = vendor.contentOf?.exec(request.path)?.[1];
      if (content !== undefined) return isOwn(tasks.find(content), request) ? reply(CLIP_REPLY) : refuse(404, 'gone');
      const parsed = request.method === 'POST' ? parseJsonBytes(request.body) : { ok: true, value: {} };
      if (!parsed.ok || !isRecord(parsed.value)) return refuse(400, 'The body is not a JSON object.');
      if (request.method === 'POST' && !isJsonContent(headerText(request.headers['content-type'])))
        return refuse(400, 'The body must be application/json.');
      const remixed = request.method === 'POST' ? vendor.remix?.path.exec(request.path)?.[1] : undefined;
      if (remixed !== undefined) {
        const first = tasks.find(remixed);
        if (!isOwn(first, request)) return refuse(404, 'There is no such video.', parsed.value);
        if (tasks.stateOf(first).kind !== 'done') return refuse(400, 'The video is not completed.', parsed.value);
        return submit(request, options, parsed.value, first);
      }
      const submits = request.method === 'POST' && vendor.submit.path.test(request.path);
      return submits ? submit(request, options, parsed.value) : question(request, parsed.value);
    },
  };
}

const CLIP_REPLY: Reply = { status: 200, headers: { 'content-type': 'video/mp4' }, body: MP4 };
