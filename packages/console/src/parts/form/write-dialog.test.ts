import { createElement, isValidElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import type { Write } from '../../api/use-api.ts';
import { WriteDialog } from './write-dialog.tsx';

type Props = { readonly children?: ReactNode; readonly onSubmit?: () => void; readonly onClose?: () => void };

/** The props of the dialog and of what is in it. */
const propsIn = (node: ReactNode): readonly Props[] => {
  if (Array.isArray(node)) return node.flatMap(propsIn);
  return isValidElement<Props>(node) ? [node.props, ...propsIn(node.props.children)] : [];
};

/** A dialog without `onDone`. */
function opened(send: () => Promise<unknown>) {
  const onClose = vi.fn<() => void>();
  let tree: ReactNode;
  const Opened = () => {
    tree = WriteDialog({ title: '', children: null, onClose, write: { send } as Write<unknown> });
    return null;
  };
  renderToStaticMarkup(createElement(Opened));
  const props = propsIn(tree);
  return {
    onClose,
    close: () => props.find((one) => one.onClose !== undefined)?.onClose?.(),
    submit: () => props.find((one) => one.onSubmit !== undefined)?.onSubmit?.(),
  };
}

test('a dialog without onDone that is closed has sent nothing', () => {
  const send = vi.fn(async () => ({}));
  const { onClose, close } = opened(send);
  close();
  expect(onClose).toHaveBeenCalledOnce();
  expect(send).not.toHaveBeenCalled();
});

test('a dialog without onDone closes once it has sent', async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const { onClose, submit } = opened(() => promise);
  submit();
  expect(onClose).not.toHaveBeenCalled();
  resolve({});
  await expect.poll(() => onClose.mock.calls.length).toBe(1);
});

test('a dialog stays open when what it sends is refused', async () => {
  const send = vi.fn(() => Promise.reject(new Error('refused')));
  const { onClose, submit } = opened(send);
  submit();
  await send.mock.results[0]?.value.catch(() => undefined);
  await new Promise(setImmediate);
  expect(onClose).not.toHaveBeenCalled();
});
