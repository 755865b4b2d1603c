import { t } from '../i18n/t.ts';
import { Dialog } from '../parts/base/dialog.tsx';
import type { Section } from './pages.ts';
import styles from './shell.module.css';

const keys = (): readonly (readonly [string, string])[] => [
  ['Ctrl K', t('Search and commands')],
  ['/', t('Filter')],
  ['j  k', t('Next and previous row')],
  ['Enter', t('Look at the row')],
  ['Shift Enter', t('Open the row as a page')],
  ['Esc', t('Close, back')],
  ['[  ]', t('Newer and older request')],
  ['t', t('Range')],
  ['.', t('Live on and off')],
  ['y', t('Copy a link with fixed times')],
  ['c', t('Copy as curl')],
  ['1 – 4', t('Tabs')],
  ['?', t('This list')],
];

type HelpProps = { readonly onClose: () => void; readonly sections: readonly Section[] };

const Help = ({ onClose, sections }: HelpProps) => (
  <Dialog title={t('Keyboard shortcuts')} isOpen onClose={onClose}>
    <dl className={styles['keys']}>
      {[...keys(), ...sections.map(({ key, label }) => [`g  ${key}`, t(label)] as const)].map(([key, what]) => (
        <div key={key}>
          <dt>
            {key.split('  ').map((each) => (
              <kbd key={each}>{each}</kbd>
            ))}
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);

export default Help;
