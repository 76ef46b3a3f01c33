import { describe, expect, it } from 'vitest'
import type { ReportTemplatePatch } from '#server/modules/reports/report-templates.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { NewReportTemplate } from '#shared/contract/report-templates.ts'
import { atTheWindow, newUser } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import { refusalOf } from '../../../../support/refusal.ts'
import { reportStage } from './reports-fixture.ts'

const template = (name: string, more: object = {}) =>
  NewReportTemplate.parse({ kind: 'template', name, text: 'Findings:\n[ ]', ...more })

describe('templates', () => {
  it('are one’s own or everybody’s, and nobody sees another person’s', () => {
    using on = reportStage()
    const { templates, radiologist } = on
    const admin = atTheWindow(newUser(on.store, { level: 'admin', canCreateReports: false }))
    const mine = templates.addTemplate(radiologist, template('Chest'))
    const all = templates.addTemplate(
      admin,
      template('Abdomen', { for: 'everybody', kind: 'macro', shortcut: 'abd' }),
    )
    expect(mine).toMatchObject({
      owner: { userId: on.user.userId, name: 'Una Malá' },
      name: 'Chest',
      modalities: [],
    })
    expect(all).toMatchObject({ owner: null, shortcut: 'abd', kind: 'macro' })
    expect(templates.listTemplates(radiologist).map(({ name }) => name)).toEqual([
      'Abdomen',
      'Chest',
    ])
    expect(templates.listTemplates(on.colleague()).map(({ name }) => name)).toEqual(['Abdomen'])
    expect(
      refusalOf(() => templates.changeTemplate(on.colleague(), mine.templateId, { name: 'Taken' })),
    ).toBe('not-found')
    expect(refusalOf(() => templates.removeTemplate(admin, mine.templateId))).toBe('not-found')
    expect(
      refusalOf(() => templates.addTemplate(radiologist, template('Mine', { for: 'everybody' }))),
    ).toBe('not-permitted')
    expect(
      refusalOf(() => templates.changeTemplate(radiologist, all.templateId, { name: 'Taken' })),
    ).toBe('not-permitted')
    expect(
      refusalOf(() =>
        templates.addTemplate(on.colleague({ canCreateReports: false }), template('No')),
      ),
    ).toBe('not-permitted')
  })

  it('have a name and a shortcut of their own, whatever the case', () => {
    using on = reportStage()
    const { templates, radiologist } = on
    const first = templates.addTemplate(radiologist, template('Chest', { shortcut: 'ch' }))
    expect(refusalOf(() => templates.addTemplate(radiologist, template('CHEST')))).toBe(
      'refused body.name',
    )
    expect(
      refusalOf(() =>
        templates.addTemplate(radiologist, template('Other', { kind: 'macro', shortcut: 'CH' })),
      ),
    ).toBe('refused body.shortcut')
    expect(templates.addTemplate(radiologist, template('Chest', { kind: 'macro' })).name).toBe(
      'Chest',
    )
    expect(
      templates.changeTemplate(radiologist, first.templateId, { shortcut: 'ch', name: 'chest' }),
    ).toMatchObject({
      name: 'chest',
      shortcut: 'ch',
    })
    expect(
      templates.addTemplate(on.colleague(), template('Chest', { shortcut: 'ch' })).shortcut,
    ).toBe('ch')
    expect(
      refusalOf(() =>
        templates.changeTemplate(radiologist, first.templateId, { ageFrom: 60, ageTo: 20 }),
      ),
    ).toBe('refused body.ageTo')
  })

  it('are changed field by field, and removed; the trail says which', () => {
    using on = reportStage()
    const { templates, radiologist } = on
    const { templateId } = templates.addTemplate(
      radiologist,
      template('Chest', { modalities: ['ct'], keywords: ['thorax'] }),
    )
    const patch: ReportTemplatePatch = { text: 'New', shortcut: null, keywords: undefined }
    expect(templates.changeTemplate(radiologist, templateId, patch)).toMatchObject({
      text: 'New',
      modalities: ['CT'],
      keywords: ['thorax'],
    })
    templates.removeTemplate(radiologist, templateId)
    expect(templates.listTemplates(radiologist)).toEqual([])
    expect(refusalOf(() => templates.removeTemplate(radiologist, templateId))).toBe('not-found')
    expect(on.audited().slice(0, 3)).toEqual(['template.remove', 'template.change', 'template.add'])
    expect(on.store.audit.list({ limit: 2 }).items[1]?.detail).toEqual({ fields: ['text'] })
  })
})

describe('templates of a study', () => {
  it('are those whose whole scope fits, the closest first, one’s own before everybody’s', () => {
    using on = reportStage()
    const { templates, radiologist } = on
    const admin = atTheWindow(newUser(on.store, { level: 'admin' }))
    seedImages(on.store, { uid: on.study.studyInstanceUid })
    const modality =
      findImageStudy(on.store.database, on.study.studyInstanceUid)?.modalities[0] ?? ''
    const add = (name: string, more: object) =>
      templates.addTemplate(radiologist, template(name, more))
    add('Any', {})
    add('Modality', { modalities: [modality] })
    add('Woman of 45', { modalities: [modality], sex: 'female', ageFrom: 45, ageTo: 45 })
    add('Other modality', { modalities: ['NM'] })
    add('Man', { sex: 'male' })
    add('Child', { ageTo: 17 })
    add('Old', { ageFrom: 46 })
    add('Keyword', { keywords: ['pelvis', 'Chést'] })
    add('Other keyword', { keywords: ['pelvis'] })
    templates.addTemplate(
      admin,
      template('Everybody’s', { for: 'everybody', modalities: [modality] }),
    )
    expect(templates.listTemplates(radiologist, on.studyId).map(({ name }) => name)).toEqual([
      ...['Woman of 45', 'Keyword', 'Modality', 'Everybody’s', 'Any'],
    ])
  })

  it.each([
    [{ age: '045Y' }, true],
    [{ age: '45 y' }, true],
    [{ age: '6 months' }, false],
    [{ age: 'unknown' }, true],
    [{ dateOfBirth: '1981-03-11', scanDate: '2026-03-10' }, false],
    [{ dateOfBirth: '1981-03-10', scanDate: '2026-03-10' }, true],
    [{}, true],
  ])('of an age are held against %j', (reportMetadata, fits) => {
    using on = reportStage()
    const { studyId } = on.newStudy({ reportMetadata })
    on.templates.addTemplate(on.radiologist, template('From 45', { ageFrom: 45 }))
    expect(on.templates.listTemplates(on.radiologist, studyId)).toHaveLength(fits ? 1 : 0)
  })

  it('of a modality are held against the scan type while there are no images', () => {
    using on = reportStage()
    const { studyId } = on.newStudy({ reportMetadata: { scanType: 'ct chest' } })
    on.templates.addTemplate(on.radiologist, template('CT', { modalities: ['CT'] }))
    on.templates.addTemplate(on.radiologist, template('MR', { modalities: ['MR'] }))
    expect(on.templates.listTemplates(on.radiologist, studyId).map(({ name }) => name)).toEqual([
      'CT',
    ])
    expect(refusalOf(() => on.templates.listTemplates(on.radiologist, 'stu_x'))).toBe('not-found')
  })
})
