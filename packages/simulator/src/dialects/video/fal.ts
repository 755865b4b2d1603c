// fal's video queue: the state below a model's app, the clip at a path of its own, and 202 while it is running.
import { asText } from '../../json-value.ts';
import { isWelcomeWithKey } from '../fal-queue/credential.ts';
import { json } from '../replies.ts';
import type { ClipVendor } from './vendor.ts';

const SUBMIT = /^\/([^/]+\/[^/]+(?:\/[^/]+)*)\/(text|image)-to-video$/u;
const STATE = /^\/[^/]+\/[^/]+\/requests\/(clip-[0-9]+)\/status$/u;
const RESULT = /^\/[^/]+\/[^/]+\/requests\/(clip-[0-9]+)$/u;

export const falClips: ClipVendor = {
  name: 'fal-video',
  vendors: ['fal'],
  isWelcome: isWelcomeWithKey,
  submit: {
    path: SUBMIT,
    shape: 'Fal',
    objection: (body, { path }) => {
      const fromImage = SUBMIT.exec(path)?.[2] === 'image';
      return fromImage === (body['image_url'] !== undefined) ? undefined : 'image_url belongs to image-to-video.';
    },
    facts: (body, { path }) => ({
      model: SUBMIT.exec(path)?.[1] ?? '',
      prompt: asText(body['prompt']),
      count: 1,
      seconds: Number(asText(body['duration']) || '5'),
    }),
    accepted: ({ id, model }, { headers }) => {
      const [owner, app] = model.split('/');
      const entry = `http://${headers.host ?? ''}/fal/${owner}/${app}/requests/${id}`;
      return { status: 'IN_QUEUE', request_id: id, response_url: entry, status_url: `${entry}/status` };
    },
  },
  taskPath: STATE,
  waitingStatus: 202,
  statusBody: ({ task, state }, { path, headers }) => ({
    request_id: task.id,
    status: state.kind !== 'waiting' ? 'COMPLETED' : task.asked === 1 ? 'IN_QUEUE' : 'IN_PROGRESS',
    response_url: `http://${headers.host ?? ''}/fal${path.replace(/\/status$/u, '')}`,
  }),
  also: {
    path: RESULT,
    reply: ({ path, method }, find) => {
      const report = method === 'GET' ? find(RESULT.exec(path)?.[1] ?? '') : undefined;
      if (report === undefined) return undefined;
      const { state, task, clipUrl } = report;
      if (state.kind === 'waiting') return json(400, { detail: 'Request is still in progress' });
      if (state.kind === 'failed')
        return state.isInvalid
          ? json(422, { detail: [detail('duration is wrong', 'value_error')] })
          : json(500, { detail: [detail('The task failed.', 'internal_server_error')] });
      if (state.blocked > 0)
        return json(422, { detail: [detail('The video was held back.', 'content_policy_violation')] });
      return json(200, { video: { url: clipUrl(0), content_type: 'video/mp4' }, seed: task.seconds });
    },
  },
  refusal: (status, message) => json(status, { detail: status === 400 ? [detail(message, 'value_error')] : message }),
};

const detail = (msg: string, type: string): object => ({ loc: ['body'], msg, type });
