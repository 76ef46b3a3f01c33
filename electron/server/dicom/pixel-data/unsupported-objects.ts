import { type Message, message } from '#shared/messages/message.ts'

/**
 * Descriptions of objects that the viewer cannot show as images, by SOP class (PS3.4 Annex B.5). An
 * entry that ends with a dot is a root.
 */
const CLASS_MESSAGES: readonly (readonly [string, Message])[] = [
  ['1.2.840.10008.1.3.10', message('viewed-file.is-dicomdir')],
  ['88.59', message('viewed-file.is-key-objects')],
  ['88.67', message('viewed-file.is-dose-report')],
  ['88.68', message('viewed-file.is-dose-report')],
  ['88.76', message('viewed-file.is-dose-report')],
  ['88.', message('viewed-file.is-structured-report')],
  ['104.1', message('viewed-file.is-pdf')],
  ['104.2', message('viewed-file.is-clinical-document')],
  ['104.', message('viewed-file.is-model')],
  ['11.', message('viewed-file.is-presentation-state')],
  ['9.', message('viewed-file.is-waveform')],
  ['30', message('viewed-file.is-parametric-map')],
  ['66', message('viewed-file.is-raw-data')],
  ['66.1', message('viewed-file.is-registration')],
  ['66.2', message('viewed-file.is-fiducials')],
  ['66.3', message('viewed-file.is-registration')],
  ['66.4', message('viewed-file.is-segmentation')],
  ['66.5', message('viewed-file.is-other-segmentation')],
  ['66.6', message('viewed-file.is-tractography')],
  ['66.7', message('viewed-file.is-segmentation')],
  ['66.8', message('viewed-file.is-other-segmentation')],
  ['67', message('viewed-file.is-value-mapping')],
  ['68.', message('viewed-file.is-surface')],
  ['77.1.6', message('viewed-file.is-whole-slide')],
  ['4.2', message('viewed-file.is-spectroscopy')],
  ['481.3', message('viewed-file.is-structure-set')],
  ['481.5', message('viewed-file.is-plan')],
  ['481.8', message('viewed-file.is-plan')],
  ['481.4', message('viewed-file.is-treatment-record')],
  ['481.6', message('viewed-file.is-treatment-record')],
  ['481.7', message('viewed-file.is-treatment-record')],
  ['481.9', message('viewed-file.is-treatment-record')],
]

const STORAGE_ROOT = '1.2.840.10008.5.1.4.1.1.'

/**
 * Transfer syntaxes that do not contain individual frames, or whose pixels are elsewhere (PS3.5
 * §A.4).
 */
const SYNTAX_MESSAGES: readonly (readonly [RegExp, Message])[] = [
  [/^1\.2\.840\.10008\.1\.2\.4\.10[01](?:\.1)?$/, message('viewed-file.is-mpeg-2')],
  [/^1\.2\.840\.10008\.1\.2\.4\.10[2-6](?:\.1)?$/, message('viewed-file.is-mpeg-4')],
  [/^1\.2\.840\.10008\.1\.2\.4\.10[78]$/, message('viewed-file.is-hevc')],
  [/^1\.2\.840\.10008\.1\.2\.7\.[123]$/, message('viewed-file.is-live-video')],
  [/^1\.2\.840\.10008\.1\.2\.4\.(?:9[45]|20[45])$/, message('viewed-file.is-pixels-elsewhere')],
]

/** Why an object cannot be shown as an image; null if nothing prevents it. */
export function unsupportedReason(sopClassUid: string, transferSyntaxUid: string): Message | null {
  const classSuffix = sopClassUid.startsWith(STORAGE_ROOT)
    ? sopClassUid.slice(STORAGE_ROOT.length)
    : sopClassUid
  const byClass = CLASS_MESSAGES.find(([uid]) =>
    uid.endsWith('.') ? classSuffix.startsWith(uid) : classSuffix === uid,
  )
  return (
    byClass?.[1] ??
    SYNTAX_MESSAGES.find(([pattern]) => pattern.test(transferSyntaxUid))?.[1] ??
    null
  )
}
