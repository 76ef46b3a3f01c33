import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

const KEPT = 'Queda en el registro de auditoría.'
const KEPT_FOR_ALL = 'Uno para todas. Queda en el registro de auditoría.'
const WRONG_PATIENT = 'p. ej. paciente equivocado, enviadas de nuevo con el correcto'

export const es: Translated<English> = {
  title: 'Imágenes apartadas',
  about:
    'Estas imágenes se conservan, pero no se añadieron a su estudio, porque podría ser incorrecto. Decide una persona: admitir o descartar.',
  label: 'Imágenes apartadas, la más reciente primero',
  columns: {
    why: 'Por qué, y qué hacer',
    patient: 'Paciente, según la imagen',
    device: 'De',
    at: 'Recibida',
    actions: 'Decidir',
  },
  open: 'Abrir el estudio',
  ofStudy: 'Todas las apartadas de este estudio',
  image: (modality) => `imagen ${modality}`.trim(),
  images: (count) => countText(count, 'imagen', 'imágenes'),
  onlyStudy: 'Solo se muestran las de un estudio.',
  showAll: 'Mostrar todas',
  none: 'No hay nada apartado',
  noneText:
    'Aquí solo llegan imágenes que podrían ser incorrectas en un estudio, por ejemplo bajo la exploración de otro paciente.',
  more: 'Cargando anteriores…',
  last: 'Estas son todas.',
  release: 'Admitir',
  discard: 'Descartar',
  released: 'La imagen ocupó su lugar en el estudio.',
  discarded: 'La imagen está eliminada.',
  releaseAsk: {
    title: '¿Admitir esta imagen?',
    action: 'Admitir',
    label: 'Motivo',
    about: KEPT,
    example: 'p. ej. imagen corregida, confirmada por el técnico',
  },
  releaseAll: (count) => `Admitir las ${count}`,
  discardAll: (count) => `Descartar las ${count}`,
  severalPatients:
    'Estas imágenes nombran a más de un paciente. Decida una por una, salvo que esté seguro de todas.',
  releaseAllAsk: {
    title: (images) => `¿Admitir ${images}?`,
    action: (images) => `Admitir ${images}`,
    label: 'Motivo',
    about: KEPT_FOR_ALL,
    example: 'p. ej. era la entrada correcta de la lista de trabajo, confirmado por el técnico',
  },
  releaseAllText:
    'Se añaden a su estudio y se envían como cualquier otra imagen. Si alguna sustituye a otra, esa se conserva.',
  discardAllAsk: {
    title: (images) => `¿Descartar ${images} definitivamente?`,
    action: (images) => `Descartar ${images} definitivamente`,
    label: 'Motivo',
    about: KEPT_FOR_ALL,
    example: WRONG_PATIENT,
  },
  discardAllText:
    'Se eliminan de esta pasarela y no se pueden recuperar. Asegúrese de que el dispositivo aún las tiene, o de que nadie las necesita.',
  releaseText:
    'Se añade a su estudio y se envía como cualquier otra imagen. Si sustituye a otra, esa se conserva.',
  discardAsk: {
    title: '¿Descartar esta imagen definitivamente?',
    action: 'Descartar definitivamente',
    label: 'Motivo',
    about: KEPT,
    example: WRONG_PATIENT,
  },
  discardText:
    'Se elimina de esta pasarela y no se puede recuperar. Asegúrese de que el dispositivo aún la tiene, o de que nadie la necesita.',
}
