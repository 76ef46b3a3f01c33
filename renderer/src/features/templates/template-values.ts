import type { ReportTemplate } from '#shared/contract/report-templates.ts'

/** A template as the fields of its form hold it; an empty field is no limit. */
export interface TemplateValues {
  kind: ReportTemplate['kind']
  for: 'mine' | 'everybody'
  name: string
  shortcut: string
  modalities: string[]
  sex: NonNullable<ReportTemplate['sex']> | ''
  ageFrom: number | string
  ageTo: number | string
  keywords: string[]
  text: string
}

/** What the form begins with: the template that is changed, or the one that a new one is like. */
export function valuesOf(
  template: ReportTemplate | null,
  like: ReportTemplate | null,
): TemplateValues {
  const given = template ?? like
  return {
    kind: given?.kind ?? 'template',
    for: template && template.owner === null ? 'everybody' : 'mine',
    name: given?.name ?? '',
    shortcut: given?.shortcut ?? '',
    modalities: given?.modalities ?? [],
    sex: given?.sex ?? '',
    ageFrom: given?.ageFrom ?? '',
    ageTo: given?.ageTo ?? '',
    keywords: given?.keywords ?? [],
    text: given?.text ?? '',
  }
}

const numberOf = (value: number | string): number | null => (value === '' ? null : Number(value))

/** As the calls take it. */
export const bodyOf = (values: TemplateValues) => ({
  ...values,
  shortcut: values.shortcut.trim() || null,
  sex: values.sex || null,
  ageFrom: numberOf(values.ageFrom),
  ageTo: numberOf(values.ageTo),
})
