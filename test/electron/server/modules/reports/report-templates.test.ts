import { describe, expect, it } from 'vitest'
import type { ReportTemplatePatch } from '#server/modules/reports/report-templates.ts'
import { NewReportTemplate } from '#shared/contract/reports.ts'
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
    const mine = templates.add(radiologist, template('Chest'))
    const all = templates.add(
      admin,
      template('Abdomen', { for: 'everybody', kind: 'macro', shortcut: 'abd' }),
    )
    expect(mine).toMatchObject({
      owner: { userId: on.user.userId, name: 'Una Malá' },
      name: 'Chest',
      modalities: [],
    })
    expect(all).toMatchObject({ owner: null, shortcut: 'abd', kind: 'macro' })
    expect(templates.list(radiologist).map(({ name }) => name)).toEqual(['Abdomen', 'Chest'])
    expect(templates.list(on.colleague()).map(({ name }) => name)).toEqual(['Abdomen'])
    expect(
      refusalOf(() => templates.change(on.colleague(), mine.templateId, { name: 'Taken' })),
    ).toBe('not-found')
    expect(refusalOf(() => templates.remove(admin, mine.templateId))).toBe('not-found')
    expect(
      refusalOf(() => templates.add(radiologist, template('Mine', { for: 'everybody' }))),
    ).toBe('not-permitted')
    expect(refusalOf(() => templates.change(radiologist, all.templateId, { name: 'Taken' }))).toBe(
      'not-permitted',
    )
    expect(
      refusalOf(() => templates.add(on.colleague({ canCreateReports: false }), template('No'))),
    ).toBe('not-permitted')
  })

  it('have a name and a shortcut of their own, whatever the case', () => {
    using on = reportStage()
    const { templates, radiologist } = on
    const first = templates.add(radiologist, template('Chest', { shortcut: 'ch' }))
    expect(refusalOf(() => templates.add(radiologist, template('CHEST')))).toBe('refused body.name')
    expect(
      refusalOf(() =>
        templates.add(radiologist, template('Other', { kind: 'macro', shortcut: 'CH' })),
      ),
    ).toBe('refused body.shortcut')
    expect(templates.add(radiologist, template('Chest', { kind: 'macro' })).name).toBe('Chest')
    expect(
      templates.change(radiologist, first.templateId, { shortcut: 'ch', name: 'chest' }),
    ).toMatchObject({
      name: 'chest',
      shortcut: 'ch',
    })
    expect(templates.add(on.colleague(), template('Chest', { shortcut: 'ch' })).shortcut).toBe('ch')
    expect(
      refusalOf(() => templates.change(radiologist, first.templateId, { ageFrom: 60, ageTo: 20 })),
    ).toBe('refused body.ageTo')
  })

  it('are changed field by field, and removed; the trail says which', () => {
    using on = reportStage()
    const { templates, radiologist } = on
    const { templateId } = templates.add(
      radiologist,
      template('Chest', { modalities: ['ct'], keywords: ['thorax'] }),
    )
    const patch: ReportTemplatePatch = { text: 'New', shortcut: null, keywords: undefined }
    expect(templates.change(radiologist, templateId, patch)).toMatchObject({
      text: 'New',
      modalities: ['CT'],
      keywords: ['thorax'],
    })
    templates.remove(radiologist, templateId)
    expect(templates.list(radiologist)).toEqual([])
    expect(refusalOf(() => templates.remove(radiologist, templateId))).toBe('not-found')
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
    const modality = on.store.imageStudies.get(on.study.studyInstanceUid)?.modalities[0] ?? ''
    const add = (name: string, more: object) => templates.add(radiologist, template(name, more))
    add('Any', {})
    add('Modality', { modalities: [modality] })
    add('Woman of 45', { modalities: [modality], sex: 'female', ageFrom: 45, ageTo: 45 })
    add('Other modality', { modalities: ['NM'] })
    add('Man', { sex: 'male' })
    add('Child', { ageTo: 17 })
    add('Old', { ageFrom: 46 })
    add('Keyword', { keywords: ['pelvis', 'Chést'] })
    add('Other keyword', { keywords: ['pelvis'] })
    templates.add(admin, template('Everybody’s', { for: 'everybody', modalities: [modality] }))
    expect(templates.list(radiologist, on.studyId).map(({ name }) => name)).toEqual([
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
    on.templates.add(on.radiologist, template('From 45', { ageFrom: 45 }))
    expect(on.templates.list(on.radiologist, studyId)).toHaveLength(fits ? 1 : 0)
  })

  it('of a modality are held against the scan type while there are no images', () => {
    using on = reportStage()
    const { studyId } = on.newStudy({ reportMetadata: { scanType: 'ct chest' } })
    on.templates.add(on.radiologist, template('CT', { modalities: ['CT'] }))
    on.templates.add(on.radiologist, template('MR', { modalities: ['MR'] }))
    expect(on.templates.list(on.radiologist, studyId).map(({ name }) => name)).toEqual(['CT'])
    expect(refusalOf(() => on.templates.list(on.radiologist, 'stu_x'))).toBe('not-found')
  })
})
