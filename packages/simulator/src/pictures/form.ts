// A multipart form, parsed strictly: exact boundaries, every part with a name. Undefined if it is not one.

export interface PictureFormFile {
  readonly name: string;
  readonly filename: string;
  readonly type: string;
  readonly base64: string;
}

export interface PictureForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: readonly PictureFormFile[];
}

const HEAD_END = '\r\n\r\n';

export function readForm(contentType: string, body: Uint8Array): PictureForm | undefined {
  const boundary = /^multipart\/form-data;.*boundary="?([^";]{1,70})"?/iu.exec(contentType)?.[1];
  if (boundary === undefined) return undefined;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const fields: Record<string, string> = {};
  const files: PictureFormFile[] = [];
  const mark = `--${boundary}`;
  let at = bytes.indexOf(mark);
  if (at !== 0) return undefined;
  for (;;) {
    const start = at + mark.length;
    const tail = bytes.toString('latin1', start, start + 2);
    if (tail === '--') return { fields, files };
    const end = bytes.indexOf(`\r\n${mark}`, start);
    const head = bytes.indexOf(HEAD_END, start);
    if (tail !== '\r\n' || end === -1 || head === -1 || head > end) return undefined;
    const headers = bytes.toString('utf8', start + 2, head);
    const content = bytes.subarray(head + HEAD_END.length, end);
    const name = /^content-disposition: form-data; name="([^"]+)"/imu.exec(headers)?.[1];
    const filename = /; filename="([^"]*)"/iu.exec(headers)?.[1];
    const type = /^content-type: ([^\r\n]+)/imu.exec(headers)?.[1] ?? '';
    if (name === undefined) return undefined;
    if (filename === undefined) fields[name] = content.toString('utf8');
    else files.push({ name, filename, type, base64: content.toString('base64') });
    at = end + 2;
  }
}
