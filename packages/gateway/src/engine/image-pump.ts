/** Streams of images: events that may be many megabytes long, unfinished versions first, one completed image last. */
import { type Fault, GatewayError, type ImageEvent, type Loss } from '@trivium/protocol/canonical';
import type { AnswerContext, Frame, ImageServerHalf } from '@trivium/protocol/dialects';
import { FramingError, SseReader, writeSse } from '@trivium/protocol/framing';
import { type Machine, UsageMeter } from '@trivium/protocol/stream';
import type { ImageTarget, Target, TargetSide } from './ports.ts';
import type { Pump } from './pump.ts';
import type { Planned } from './stages.ts';

const UNREADABLE: Fault = {
  kind: 'upstream-broken',
  message: 'The upstream provider sent a stream that cannot be read.',
};

export const answersWithImages = <T extends TargetSide>(target: T): target is T & Pick<ImageTarget, 'dialect'> =>
  target.dialect.operation === 'image';

/** Only where both ends stream; an upstream that does not is asked for the whole answer. */
export function imagePumpOf(
  { dialect, understanding }: Planned,
  target: Target,
  context: AnswerContext,
  maxEventLength: number,
): Pump | undefined {
  if (!understanding.stream || dialect.operation !== 'image' || !answersWithImages(target)) return undefined;
  const [callers, hosts] = [dialect.server.streaming, target.dialect.client.streaming];
  if (callers === undefined || hosts?.streams(target.facts) !== true) return undefined;
  return new ImagePump(hosts.eventDecoder(target.facts), callers.eventEncoder(context), maxEventLength);
}

export class ImagePump implements Pump {
  readonly meter = new UsageMeter();
  fault: Fault | undefined;
  over = false;
  hasContent = false;
  progress = 0;
  readonly #reader: SseReader;
  readonly #decoder: Machine<Frame, ImageEvent>;
  readonly #encoder: ReturnType<NonNullable<ImageServerHalf['streaming']>['eventEncoder']>;
  #out = '';

  constructor(decoder: Machine<Frame, ImageEvent>, encoder: Machine<ImageEvent, Frame>, maxEventLength: number) {
    this.#reader = new SseReader(maxEventLength);
    this.#decoder = decoder;
    this.#encoder = encoder;
  }

  push(piece: string): string {
    return this.#step(() => this.#reader.push(piece, this.#take));
  }

  end(): string {
    return this.#step(() => {
      this.#reader.end(this.#take);
      this.#events(this.#decoder.end());
    });
  }

  losses(): readonly Loss[] {
    return [...this.#decoder.losses(), ...this.#encoder.losses()];
  }

  readonly #take = (frame: Frame): void => this.#events(this.#decoder.push(frame));

  #events(events: readonly ImageEvent[]): void {
    for (const event of events) {
      if (this.fault !== undefined || this.over) return;
      if (event.type === 'image-fault') this.fault = event.fault;
      else this.#write(event);
    }
  }

  #write(event: ImageEvent): void {
    if (event.type === 'image-completed') this.meter.report(event.answer.usage);
    this.hasContent = true;
    this.progress++;
    for (const frame of this.#encoder.push(event)) this.#out += writeSse(frame);
    // Nothing follows a completed image, whatever the upstream would still send.
    this.over = event.type === 'image-completed';
  }

  #step(work: () => void): string {
    this.#out = '';
    try {
      work();
    } catch (error) {
      if (error instanceof GatewayError) this.fault ??= error.fault;
      else if (error instanceof FramingError) this.fault ??= UNREADABLE;
      else throw error;
    }
    return this.#out;
  }
}
