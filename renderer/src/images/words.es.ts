import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Imágenes',
  about:
    'Los estudios según llegan sus imágenes, el más reciente primero. Las imágenes se conservan como las envió el dispositivo.',
  tabs: {
    label: 'Imágenes',
    studies: 'Estudios',
    quarantine: 'Apartadas',
    recovered: 'Archivos recuperados',
    inform: 'Avisos de corrección',
  },
  showLabel: 'Qué estudios',
  shows: {
    all: 'Todos',
    receiving: 'Recibiendo',
    incomplete: 'Incompletos',
    mismatch: 'Discrepancia',
    replaced: 'Imágenes sustituidas',
  },
  search: 'Buscar',
  searchWhat: 'Nombre, ID del paciente, n.º de acceso, descripción o UID',
  columns: {
    patient: 'Paciente',
    exam: 'Exploración',
    device: 'Dispositivo',
    images: 'Imágenes',
    state: 'Estado',
    last: 'Última imagen',
  },
  label: 'Estudios con imágenes, el más reciente primero',
  arrived: (share) => `Ha llegado el ${share} % de las imágenes anunciadas`,
  setAside: (count) => (count === 1 ? '1 apartada' : `${count} apartadas`),
  setAsideMeaning:
    'Imágenes que se recibieron pero no se añadieron al estudio. Esperan una decisión.',
  none: 'Aún no hay imágenes',
  noneText: (aeTitle) =>
    `Cuando un dispositivo envíe imágenes ${aeTitle ? `al AE title ${aeTitle}` : 'a esta pasarela'}, aparecerán aquí según lleguen.`,
  noneFiltered: 'Ningún estudio coincide',
  noneFilteredText: 'Elija «Todos» y vacíe la búsqueda para ver todos los estudios.',
  clear: 'Quitar los filtros',
  more: 'Cargando estudios anteriores…',
  last: 'No hay estudios anteriores.',
  newer: (count) =>
    count === 1
      ? '1 estudio nuevo arriba'
      : `${countText(count, 'estudio', 'estudios')} nuevos arriba`,

  back: 'Todos los estudios',
  gone: 'Aquí no hay imágenes de este estudio',
  goneText: 'Puede que se hayan eliminado, o que la dirección esté incompleta.',
  priors: 'Buscar estudios previos',
  report: 'Informe',
  facts: {
    patient: 'Paciente',
    patientId: 'ID del paciente',
    born: 'Nacimiento',
    sex: 'Sexo',
    accession: 'N.º de acceso',
    description: 'Descripción',
    linkedOrder: 'Petición enlazada',
    date: 'Fecha del estudio',
    device: 'Dispositivo',
    first: 'Primera imagen',
    last: 'Última imagen',
    received: 'Recibido',
    transfer: 'Última transferencia',
    uid: 'UID del estudio',
    setAside: 'Apartadas',
  },
  unscheduled: 'No programada: sin petición',
  unscheduledText:
    'Estas imágenes se hicieron sin petición. Enlace la exploración con su petición o manténgala como no programada.',
  reconcile: 'Conciliar',
  setAsideWait: (images) => `${countText(images, 'imagen', 'imágenes')} por decidir`,
  received: (images, series, size) =>
    `${countText(images, 'imagen', 'imágenes')} en ${countText(series, 'serie', 'series')}, ${size}`,
  lastOne: 'última imagen',
  studyUid: 'el UID del estudio',
  studyId: 'el id. del estudio',
  transfers: { open: 'aún conectado', released: 'terminó bien', aborted: 'se interrumpió' },
  missing: '(vacío)',
  thisGateway: 'Esta pasarela',
  series: 'Series',
  seriesNone: 'No se añadió ninguna imagen a este estudio.',
  seriesAwaited: 'Anunciada; no ha llegado nada de ella',
  seriesColumns: {
    number: 'N.º',
    modality: 'Modalidad',
    description: 'Descripción',
    images: 'Imágenes',
    size: 'Tamaño',
    last: 'Última imagen',
  },

  identity: {
    titles: {
      matched: 'El dispositivo creó su propio Study Instance UID',
      mismatch: 'Las imágenes no coinciden',
      overridden: 'Las imágenes no coinciden, y la comprobación se anuló',
      resolved: 'Las imágenes se corrigieron',
    },
    abouts: {
      matched:
        'El paciente y la exploración son los de la entrada de la lista de trabajo. Las imágenes se guardan con el UID que les dio el dispositivo.',
      mismatch:
        'Nombran a otro paciente u otra exploración que la lista de trabajo, el estudio o las demás imágenes. No se cambió nada. Averigüe cuál es correcto y corríjalo donde esté mal. Hasta entonces no se puede firmar ningún informe de este estudio ni se entrega ninguno firmado.',
      overridden:
        'Una persona que puede firmar informes dio un motivo para continuar. Si después difiere otra cosa, vuelve a ser una discrepancia.',
      resolved:
        'Nombran al paciente y la exploración de la lista de trabajo o del estudio. Las imágenes originales se conservan y ya no se muestran.',
    },
    overriddenBy: 'Anulada por',
    reason: 'Motivo',
    toReport: 'Anularla en el informe',
  },

  steps: 'Realizado en el dispositivo (MPPS)',
  stepsNone: 'El dispositivo no comunicó cómo fue la exploración.',
  of: (modality) => `(${modality})`,
  stepColumns: {
    step: 'Paso',
    state: 'Estado',
    device: 'Dispositivo',
    started: 'Inicio',
    ended: 'Fin',
    images: 'Imágenes',
  },
  stepStates: {
    'IN PROGRESS': { name: 'En curso' },
    COMPLETED: { name: 'Completado' },
    DISCONTINUED: { name: 'Interrumpido' },
  },

  commitments: 'Confirmaciones de almacenamiento',
  commitmentsNone: 'El dispositivo no pidió que se confirmara el almacenamiento de sus imágenes.',
  commitmentColumns: {
    asked: 'Pedida',
    device: 'Dispositivo',
    images: 'Imágenes',
    state: 'Estado',
    remark: 'Observación',
  },
  commitmentStates: {
    waiting: { name: 'Respuesta en camino' },
    delivered: { name: 'Respondida' },
    'given-up': { name: 'No entregada' },
  },
  commitmentAgain: { name: 'Intentando de nuevo' },
  notHere: (count) => (count === 1 ? '1 no está aquí' : `${count} no están aquí`),
  attempts: (count) => (count === 1 ? '1 intento' : `${count} intentos`),
  next: 'siguiente a las',

  enrichment: 'Qué sabe el socio',
  enrichmentAsked: 'Consultado',
  enrichmentNext: 'Se consulta de nuevo',
  enrichmentBecause: 'Motivo',
  enrichmentNever: 'aún no',
  enrichmentBefore: {
    name: 'Sin consultar',
    meaning: 'Se consulta al socio cuando se crea un estudio de estas imágenes.',
  },
  retryEnrichment: 'Consultar al socio ahora',
  retryAbout: 'Solo se rellenan los campos que nadie ha rellenado.',

  interface: 'En esta pasarela',
  interfaceNone:
    'Aún no se creó ningún estudio de estas imágenes. En Ajustes, Imágenes, se dice qué áreas reciben uno.',
  areas: { scribe: 'Informes (scribe)', viewer: 'Visor (viewer)' },
  seeded: 'creado a partir de estas imágenes',
  registered: 'estaba registrado antes',

  sending: 'Adónde va',
  sendingNone: 'No se envió a otro sistema.',
  sendTo: 'Enviar a',
  sendToPick: 'Elija un destino',
  send: 'Enviar',
  sendDone: 'El estudio está en camino.',
  noDestination: 'No hay ningún destino configurado o activado.',
  sendNext: 'Siguiente intento:',
  retry: 'Intentar ahora',
  versions: {
    title: 'Imágenes con varias versiones',
    about:
      'El dispositivo volvió a enviar estas imágenes con el mismo identificador y otro contenido. Se muestra y se envía la última; todas las anteriores se conservan.',
    columns: {
      image: 'Imagen',
      state: 'Versión',
      change: 'Qué cambia',
      received: 'Recibida',
      actions: '',
    },
    states: { current: 'Visible', superseded: 'Anterior' },
    changes: {
      attributes: 'Solo la descripción',
      pixels: 'Otros píxeles',
      unknown: 'No se pudieron comparar los píxeles',
    },
    review: 'He comparado las versiones',
    reviewAsk: {
      title: '¿Ha comparado las versiones?',
      action: 'Confirmar',
      label: 'Nota',
      about: 'Queda en el registro de auditoría.',
      example: 'p. ej. reconstruida de nuevo con otro filtro, confirmado por el técnico',
    },
    reviewText: 'Las imágenes quedan como están. Ya no requieren atención.',
    restore: 'Mostrar esta versión',
    restoreAsk: {
      title: '¿Mostrar esta versión de la imagen?',
      action: 'Mostrar esta versión',
      label: 'Motivo',
      about: 'Queda en el registro de auditoría.',
      example: 'p. ej. la posterior es de otro paciente',
    },
    restoreText:
      'Vuelve a ocupar su lugar en el estudio y se envía adonde las imágenes van automáticamente. La versión posterior se conserva.',
  },
}
