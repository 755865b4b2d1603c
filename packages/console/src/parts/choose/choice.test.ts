import { createElement, isValidElement, type ReactElement, type ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test, vi } from 'vitest';
import { Choice } from './choice.tsx';
import { ChoiceList } from './choice-list.tsx';

/** The first element below `node` that takes an `onChoose`. */
function chooserIn(node: ReactNode): ReactElement<{ onChoose: (value: string) => void }> | undefined {
  if (Array.isArray(node)) return node.map(chooserIn).find((found) => found !== undefined);
  if (!isValidElement<{ children?: ReactNode }>(node)) return undefined;
  return 'onChoose' in node.props ? (node as never) : chooserIn(node.props.children);
}

function choose(answer: 'goes-on' | undefined): readonly boolean[] {
  const onOpen = vi.fn<(isOpen: boolean) => void>();
  const common = { trigger: null, label: 'Filter by', items: [], chosen: '', isOpen: true };
  chooserIn(Choice({ ...common, onChoose: () => answer, onOpen }))?.props.onChoose('outcome');
  return onOpen.mock.calls.map(([isOpen]) => isOpen);
}

test('a choice closes once something is chosen', () => expect(choose(undefined)).toEqual([false]));

test('a choice that goes on stays open, so that a value can follow the field of a filter', () =>
  expect(choose('goes-on')).toEqual([]));

test('a list that cannot be read says why', () => {
  const list = { label: 'Account', items: [], chosen: '', onChoose: () => undefined, isLoading: false };
  const drawn = (problem?: string): string => renderToStaticMarkup(createElement(ChoiceList, { ...list, problem }));
  expect(drawn('The gateway does not answer.')).toContain('The gateway does not answer.');
  expect(drawn()).toContain('Nothing matches.');
});
