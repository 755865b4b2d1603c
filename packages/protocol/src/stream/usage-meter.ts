/** Usage of an answer so far: the upstream's figures, if any, and the amount of text. */
import type { Event } from '../canonical/events.ts';
import { mergeUsage, type Produced, type Usage } from '../canonical/usage.ts';

export class UsageMeter {
  #usage: Usage = {};
  #reported = false;
  #producedCharacters = 0;
  #producedPieces = 0;

  observe(event: Event): void {
    if (event.type === 'usage-update') this.report(event.usage);
    else if (event.type === 'block-delta') this.produced(event.text.length);
  }

  report(usage: Usage): void {
    this.#usage = mergeUsage(this.#usage, usage);
    this.#reported = true;
  }

  /** One piece of text, as sent by the upstream. */
  produced(characters: number): void {
    if (characters === 0) return;
    this.#producedCharacters += characters;
    this.#producedPieces++;
  }

  get producedCharacters(): number {
    return this.#producedCharacters;
  }

  get hasProduced(): boolean {
    return this.#producedCharacters > 0;
  }

  get reading(): Produced & { readonly usage: Usage; readonly reported: boolean } {
    return {
      usage: this.#usage,
      reported: this.#reported,
      producedCharacters: this.#producedCharacters,
      producedPieces: this.#producedPieces,
    };
  }
}
