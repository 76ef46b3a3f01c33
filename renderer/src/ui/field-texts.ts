import { type TextCode, t } from '../i18n/t.ts'

/** Names with a label and a description in one group of texts. */
type FieldsIn<Prefix extends string> = TextCode extends infer Code
  ? Code extends `${Prefix}.${infer Field}.description`
    ? Field
    : never
  : never

/** Label and description of the fields of a form: `fieldTexts('ui.devices.form')('port')`. */
export const fieldTexts =
  <const Prefix extends string>(prefix: Prefix) =>
  (field: FieldsIn<Prefix>) => ({
    label: t(`${prefix}.${field}.label` as TextCode),
    description: t(`${prefix}.${field}.description` as TextCode),
  })
