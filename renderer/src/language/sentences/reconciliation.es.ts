import type { Sentence } from '../catalogue.ts'

export const RECONCILIATION: readonly Sentence[] = [
  ['The order is no longer in the worklist.', 'La petición ya no está en la lista de trabajo.'],
  ['The last day must not be before the first.', 'El último día no puede ser anterior al primero.'],
  ['Choose at most {} days.', 'Elija como máximo {0} días.'],
  [
    'This exam is no longer unscheduled: more images arrived, or an order was found for it.',
    'Esta exploración ya no es no programada: llegaron más imágenes o se encontró su petición.',
  ],
  [
    'Images of this order have arrived in the meantime.',
    'Entretanto llegaron imágenes de esta petición.',
  ],
  [
    'The images name another patient or exam than this order: correct them instead.',
    'Las imágenes nombran a otro paciente u otra exploración que esta petición: corríjalas.',
  ],
  ['This decision was undone already.', 'Esta decisión ya se deshizo.'],
  ['The decision was undone.', 'La decisión se deshizo.'],
  [
    'A report has since been signed: this can no longer be undone.',
    'Desde entonces se firmó un informe: ya no se puede deshacer.',
  ],
  [
    'The images have since been corrected: undo the correction first.',
    'Desde entonces se corrigieron las imágenes: deshaga primero la corrección.',
  ],
  [
    '{} has kept this exam as unscheduled in the meantime.',
    'Entretanto, {0} mantuvo esta exploración como no programada.',
  ],
  [
    '{} has marked this order as not done in the meantime.',
    'Entretanto, {0} marcó esta petición como no hecha.',
  ],
  [
    '{} has linked an exam to the order {} in the meantime.',
    'Entretanto, {0} enlazó una exploración con la petición {1}.',
  ],
]
