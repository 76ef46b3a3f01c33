import { describe, expect, it } from 'vitest'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import type { UserId } from '#shared/ids.ts'
import {
  readTemplateFile,
  templateFile,
} from '../../../../renderer/src/features/templates/template-file.ts'

const template = (more: Partial<ReportTemplate> = {}): ReportTemplate => ({
  templateId: '0d4b0a6e-5b0e-4c55-8f0e-3f3c1a2b4c5d',
  owner: { userId: `usr_${'0'.repeat(32)}` as UserId, name: 'Maja Novák' },
  ...{
    kind: 'template',
    name: 'CT thorax',
    shortcut: 'ctt',
    modalities: ['CT'],
    sex: null,
    ageFrom: 18,
    ageTo: null,
    keywords: ['thorax'],
  },
  text: 'FINDINGS\n[size] “ü”',
  updatedAt: '2026-11-22T09:00:00.000Z',
  ...more,
})
const file = (...templates: unknown[]) =>
  JSON.stringify({ format: 'isthmus-report-templates', version: 1, templates })

describe('a file of templates', () => {
  it('holds what was saved, without who made it and when', () => {
    const text = templateFile([
      template(),
      template({ kind: 'macro', name: 'normal', shortcut: null, ageFrom: null }),
    ])
    expect(text).not.toMatch(/usr_|Novák|2026-11-22|templateId/)
    const { templateId: _, owner: __, updatedAt: ___, ...fields } = template()
    expect(readTemplateFile(text)).toEqual([
      { at: 1, template: fields },
      {
        at: 2,
        template: { ...fields, kind: 'macro', name: 'normal', shortcut: null, ageFrom: null },
      },
    ])
  })

  it('is read where an editor put a byte order mark before it, and fills in what was left out', () => {
    expect(
      readTemplateFile(`\uFEFF${file({ kind: 'macro', name: 'normal', text: 'Normal.' })}`),
    ).toMatchObject([
      { at: 1, template: { shortcut: null, modalities: [], sex: null, keywords: [] } },
    ])
  })

  it('says which entry cannot be taken and takes the others', () => {
    const read = readTemplateFile(
      file({ kind: 'macro', name: 'long', shortcut: 'a b', text: 'x' }, 7, {
        kind: 'macro',
        name: 'ok',
        text: 'x',
      }),
    )
    expect(read).toMatchObject([
      {
        at: 1,
        name: 'long',
        fault: {
          field: 'shortcut',
          explanation: 'must have 1 to 20 characters: letters, digits, _ . or -',
        },
      },
      { at: 2, name: '', fault: { field: '' } },
      { at: 3, template: { name: 'ok' } },
    ])
  })

  it('is refused whole where it is another file', () => {
    expect(readTemplateFile('templates')).toBe('notJson')
    expect(readTemplateFile('[]')).toBe('notOurs')
    expect(
      readTemplateFile('{"format":"isthmus-report-templates","version":2,"templates":[]}'),
    ).toBe('notOurs')
    expect(readTemplateFile(file())).toBe('empty')
    expect(readTemplateFile(file(...Array.from({ length: 501 }, () => ({}))))).toBe('tooMany')
  })
})
