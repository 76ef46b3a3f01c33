import { describe, expect, it } from 'vitest'
import type { ContentItem } from '#shared/contract/viewed-objects.ts'
import {
  dateTimeText,
  partsOf,
  reportTree,
  rowsOf,
  unitText,
  valueText,
} from '../../../renderer/src/viewer/documents/report-tree.ts'

const code = (meaning: string, value = 'x', scheme = 'DCM') => ({ value, scheme, meaning })
const item = (position: string, more: Partial<ContentItem> = {}): ContentItem => ({
  depth: position.split('.').length - 1,
  position,
  ...{ relationship: 'CONTAINS', valueType: 'TEXT', concept: code(`Item ${position}`) },
  ...{ value: '', code: null, qualifier: null, references: [], coordinates: null },
  ...{ target: '', observedAt: '' },
  ...more,
})

describe('the tree of a report', () => {
  const root = reportTree([
    item('1', { valueType: 'CONTAINER' }),
    item('1.1', { valueType: 'NUM', value: '3' }),
    item('1.1.1', { relationship: 'HAS CONCEPT MOD', valueType: 'CODE', code: code('Left') }),
    item('1.1.2', { relationship: 'INFERRED FROM', valueType: 'IMAGE' }),
    item('1.2', { valueType: 'CODE', code: code('Nodule') }),
    item('1.3', { valueType: 'CONTAINER' }),
    item('1.3.1', { value: 'short' }),
    item('1.4', { value: 'x'.repeat(81) }),
  ])
  const children = root?.children ?? []

  it('has the items below those they belong to', () => {
    expect(children.map(({ item }) => item.position)).toEqual(['1.1', '1.2', '1.3', '1.4'])
    expect(children[2]?.children.map(({ item }) => item.position)).toEqual(['1.3.1'])
    expect(reportTree([])).toBeUndefined()
  })

  it('is one table of lines that follow each other, sections and long texts', () => {
    expect(
      partsOf(children).map((part) =>
        part.kind === 'rows' ? part.rows.map(({ item }) => item.position) : part.kind,
      ),
    ).toEqual([['1.1', '1.1.2', '1.2'], 'section', 'text'])
  })

  it('has modifiers beside the name, and what belongs to a line below it', () => {
    const [first] = children
    expect(first && rowsOf(first, 0)).toMatchObject([
      { item: { position: '1.1' }, indent: 0, modifiers: ['Item 1.1.1: Left'] },
      { item: { position: '1.1.2' }, indent: 1, modifiers: [] },
    ])
  })
})

it.each<[string, Partial<ContentItem>, string, string]>([
  ['a length', { valueType: 'NUM', value: '12.5', code: code('mm', 'mm', 'UCUM') }, '12.5', 'mm'],
  ['a count', { valueType: 'NUM', value: '2', code: code('no units', '1', 'UCUM') }, '2', ''],
  [
    'an annotation',
    { valueType: 'NUM', value: '2', code: code('events', '{e}', 'UCUM') },
    '2',
    'events',
  ],
  ['no number', { valueType: 'NUM', qualifier: code('Not a number') }, 'Not a number', ''],
  ['a name', { valueType: 'PNAME', value: 'Invented^Carla' }, 'Invented, Carla', ''],
  ['a day', { valueType: 'DATE', value: '20260310' }, '10 Mar 2026', ''],
  ['a moment', { valueType: 'DATETIME', value: '20260310104200' }, '10 Mar 2026 10:42', ''],
  ['a code without a meaning', { valueType: 'CODE', code: code('', '77') }, '77', ''],
  [
    'a region',
    {
      valueType: 'SCOORD',
      coordinates: { type: 'POLYLINE', values: '1.234 2 3 4 5 6 7 8 9'.split(' ') },
    },
    'POLYLINE: 1.23, 2, 3, 4, 5, 6, 7, 8 and 1 more',
    '',
  ],
])('%s is written as people read it', (_name, more, value, unit) => {
  expect([valueText(item('1', more)), unitText(item('1', more))]).toEqual([value, unit])
})

it('a date and time that is none is shown as it is', () => {
  expect(dateTimeText('about noon')).toBe('about noon')
  expect(dateTimeText('20260310')).toBe('10 Mar 2026')
})
