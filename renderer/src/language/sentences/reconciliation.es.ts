import type { Sentence } from '../catalogue.ts'

export const RECONCILIATION: readonly Sentence[] = [
  ['The worklist has no such order any more.', 'La lista de trabajo ya no tiene esa petición.'],
  ['The last day must not be before the first.', 'El último día no puede ser anterior al primero.'],
  ['Choose at most {} days.', 'Elija como máximo {0} días.'],
  [
    'This exam is not an unscheduled one any more: more images came, or an order was found for it.',
    'Esta exploración ya no es una no programada: llegaron más imágenes o se encontró su petición.',
  ],
  ['Images of this order came meanwhile.', 'Entretanto llegaron imágenes de esta petición.'],
  [
    'The images differ from this order in the patient or the exam: correct them instead.',
    'Las imágenes difieren de esta petición en el paciente o la exploración: corríjalas.',
  ],
  ['This decision was undone already.', 'Esta decisión ya se deshizo.'],
  ['The decision was undone.', 'La decisión se deshizo.'],
  ['A report was signed since: it cannot be undone any more.', 'Desde entonces se firmó un informe: ya no se puede deshacer.'],
  [
    'The images were corrected since: undo the correction first.',
    'Desde entonces se corrigieron las imágenes: deshaga primero la corrección.',
  ],
  ['{} has kept this exam as unscheduled meanwhile.', 'Entretanto, {0} mantuvo esta exploración como no programada.'],
  ['{} has noted meanwhile that this order was not done.', 'Entretanto, {0} marcó esta petición como no hecha.'],
  ['{} has linked an exam and the order {} meanwhile.', 'Entretanto, {0} enlazó una exploración con la petición {1}.'],
]
