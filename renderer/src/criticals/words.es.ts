import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Resultados críticos',
  about:
    'Resultados de los que aún no se avisó a nadie. Cada uno permanece aquí hasta que se documenta a quién se avisó.',
  none: 'No queda nadie por avisar',
  noneText:
    'Un informe firmado como crítico aparece aquí, con el tiempo desde la firma, hasta que se avisa a alguien.',
  minutes: (minutes) => `${minutes} min`,
  hours: (hours, minutes) => `${hours} h ${String(minutes).padStart(2, '0')} min`,
  days: (days, hours) => `${countText(days, 'día', 'días')} ${hours} h`,
  columns: {
    since: 'Abierto desde hace',
    patient: 'Paciente',
    finding: 'Hallazgo',
    signed: 'Firmado por',
    actions: 'Documentar',
  },
  document: 'Documentar…',
  documentOf: (finding) => `Documentar: ${finding}`,
}
