/** The head of a wav whose end is not known yet: 16 bits a sample, one channel, and no length. */

const HEAD_BYTES = 44;
const BYTES_A_SAMPLE = 2;
const PLAIN_SAMPLES = 1;
const FORMAT_BYTES = 16;
/** As programs write it that stream: readers go on to the end. */
const NO_LENGTH = 0xff_ff_ff_ff;

/** A character for each byte. */
export function wavHead(rate: number): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(NO_LENGTH, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(FORMAT_BYTES, 16);
  head.writeUInt16LE(PLAIN_SAMPLES, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * BYTES_A_SAMPLE, 28);
  head.writeUInt16LE(BYTES_A_SAMPLE, 32);
  head.writeUInt16LE(BYTES_A_SAMPLE * 8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(NO_LENGTH, 40);
  return head.toString('latin1');
}
