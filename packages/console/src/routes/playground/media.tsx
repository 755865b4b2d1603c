/** Pictures of a model. Only raster formats are drawn; anything else, SVG above all, is saved instead. */
import { Download } from 'lucide-react';
import { t } from '../../i18n/t.ts';
import { Button, buttonClass } from '../../parts/base/button.tsx';
import type { Picture } from './draft.ts';
import styles from './playground.module.css';

const DRAWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif']);

/** `base64`: of one piece, or of each. */
export const blobOf = (base64: string | readonly string[], mime: string): Blob =>
  new Blob(
    [base64].flat().map((piece) => Uint8Array.from(atob(piece), (letter) => letter.charCodeAt(0))),
    { type: mime },
  );

function save({ base64, mime }: Picture): void {
  const url = URL.createObjectURL(blobOf(base64, 'application/octet-stream'));
  const link = document.createElement('a');
  link.href = url;
  link.download = `picture.${mime.split(/[/+]/)[1] ?? 'bin'}`;
  link.click();
  URL.revokeObjectURL(url);
}

export type PicturesProps = { readonly pictures: readonly Picture[]; readonly links?: readonly string[] };

export const Pictures = ({ pictures, links = [] }: PicturesProps) =>
  pictures.length + links.length === 0 ? null : (
    <div className={styles['pictures']}>
      {pictures.map((picture, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pictures keep their order
        <figure key={index}>
          {DRAWN.has(picture.mime) && (
            <img src={`data:${picture.mime};base64,${picture.base64}`} alt={t('Picture {no}', { no: index + 1 })} />
          )}
          <Button icon={<Download size={14} />} onClick={() => save(picture)}>
            {t('Save ({type})', { type: picture.mime })}
          </Button>
        </figure>
      ))}
      {links
        .filter((link) => /^https?:\/\//.test(link))
        .map((link) => (
          <a key={link} className={buttonClass()} href={link} target="_blank" rel="noreferrer">
            {t('Open the picture')}
          </a>
        ))}
    </div>
  );

/** A file that was chosen, as base64. */
export const readFile = (file: File): Promise<Picture> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve({ mime: file.type, base64: String(reader.result).replace(/^[^,]*,/, '') });
    reader.onerror = () => reject(reader.error ?? new Error(t('The file cannot be read.')));
    reader.readAsDataURL(file);
  });
