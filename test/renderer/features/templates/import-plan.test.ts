import { describe, expect, it } from 'vitest'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { verbatim } from '#shared/messages/message.ts'
import {
  CHOICES,
  planOf,
  sendingOf,
} from '../../../../renderer/src/features/templates/import-plan.ts'
import type {
  FileEntry,
  FileTemplate,
} from '../../../../renderer/src/features/templates/template-file.ts'

const fields = (more: Partial<FileTemplate> = {}): FileTemplate => ({
  ...{
    kind: 'template',
    name: 'CT thorax',
    shortcut: null,
    modalities: [],
    sex: null,
    ageFrom: null,
    ageTo: null,
    keywords: [],
  },
  text: 'FINDINGS',
  ...more,
})
const there = (more: Partial<FileTemplate> = {}): ReportTemplate => ({
  ...fields(more),
  ...{
    templateId: '0d4b0a6e-5b0e-4c55-8f0e-3f3c1a2b4c5d',
    owner: null,
    updatedAt: '2026-11-22T09:00:00.000Z',
  },
})
const entries = (...templates: FileTemplate[]): FileEntry[] =>
  templates.map((template, index) => ({ at: index + 1, template }))
const standings = (given: FileEntry[], owned: ReportTemplate[] = []) =>
  planOf(given, owned).map(({ standing }) => standing)

describe('how the entries of a file meet what is there', () => {
  it('adds what is new, and leaves what is there already', () => {
    expect(standings(entries(fields(), fields({ kind: 'macro' })))).toEqual(['new', 'new'])
    expect(standings(entries(fields()), [there()])).toEqual(['same'])
  })

  it('finds a name of the same kind whatever its letter case, and a shortcut of either kind', () => {
    const owned = [there({ shortcut: 'ct', text: 'Another' })]
    expect(standings(entries(fields({ name: 'ct THORAX' })), owned)).toEqual(['name'])
    expect(standings(entries(fields({ kind: 'macro' })), owned)).toEqual(['new'])
    expect(standings(entries(fields({ kind: 'macro', name: 'm', shortcut: 'CT' })), owned)).toEqual(
      ['shortcut'],
    )
    const two = [there({ text: 'Another' }), there({ name: 'MR', shortcut: 'ct' })]
    expect(standings(entries(fields({ shortcut: 'ct' })), two)).toEqual(['both'])
  })

  it('finds what the file has twice, and ages that fit nobody', () => {
    const twice = entries(
      fields(),
      fields({ name: 'CT Thorax' }),
      fields({ name: 'a', shortcut: 'x' }),
      fields({ name: 'b', shortcut: 'X' }),
    )
    expect(standings(twice)).toEqual(['new', 'repeated', 'new', 'repeated'])
    expect(standings(entries(fields({ ageFrom: 20, ageTo: 10 })))).toEqual(['faulty'])
    const fault = { field: 'text', explanation: verbatim('Required') }
    expect(standings([{ at: 1, name: '', fault }])).toEqual(['faulty'])
  })

  it('changes nothing that is there unless somebody chose to replace it', () => {
    for (const [standing, [first]] of Object.entries(CHOICES))
      expect(first).toBe(standing === 'new' ? 'add' : 'leave')
  })
})

describe('what is sent for an entry', () => {
  const [named] = planOf(entries(fields({ shortcut: 'ct' })), [there({ text: 'Another' })])
  const [shortcut] = planOf(entries(fields({ name: 'new', shortcut: 'ct' })), [
    there({ shortcut: 'ct' }),
  ])
  const [both] = planOf(entries(fields({ shortcut: 'ct' })), [
    there({ text: 'Another' }),
    there({ name: 'MR', shortcut: 'ct' }),
  ])

  it('replaces the one of its name, which keeps its shortcut where another has that of the entry', () => {
    if (!named || !both) throw new Error('no plan')
    const { kind: _, ...sent } = fields({ shortcut: 'ct' })
    expect(sendingOf(named, 'replace')).toEqual({ change: named.holder, to: sent })
    const { shortcut: __, ...kept } = sent
    expect(sendingOf(both, 'replace')).toEqual({ change: both.holder, to: kept })
  })

  it('adds without the shortcut that another has', () => {
    if (!shortcut) throw new Error('no plan')
    expect(sendingOf(shortcut, 'plain')).toEqual({ add: fields({ name: 'new' }) })
  })

  it('is nothing for what is left out, or for a choice that does not fit', () => {
    if (!named || !shortcut) throw new Error('no plan')
    expect(sendingOf(named, 'leave')).toBe(null)
    expect(sendingOf(named, 'add')).toBe(null)
    expect(sendingOf(shortcut, 'replace')).toBe(null)
  })
})
