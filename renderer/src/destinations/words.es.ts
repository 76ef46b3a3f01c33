import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Destinos',
  about:
    'Otros sistemas DICOM, como un PACS o un servicio de lectura: se les envían las imágenes y de ellos se traen los estudios anteriores.',
  add: 'Añadir destino',
  priors: 'Buscar estudios anteriores',
  none: 'Aún no hay destinos',
  noneText:
    'Añada el PACS o la estación que debe recibir las imágenes. Hasta entonces solo se guardan aquí.',
  nativeTitle: 'No se pudo cargar el módulo para otros sistemas DICOM',
  nativeText:
    'Las imágenes se siguen recibiendo y enviando. Probar una conexión, buscar estudios anteriores y convertir imágenes no funciona hasta que esté.',
  nativeRemedy:
    'Un administrador instala Isthmus de nuevo con el instalador para este tipo de PC y reinicia la pasarela.',
  states: {
    off: {
      name: 'Apagado',
      meaning: 'No se le envía nada. Lo que espera se queda hasta que se encienda.',
    },
    failed: {
      name: 'Requiere una decisión',
      meaning:
        'Algunas imágenes se rechazaron, o no se aceptaron durante tanto tiempo que la pasarela dejó de intentarlo.',
    },
    retrying: {
      name: 'Reintentando',
      meaning: 'El último intento falló. La pasarela lo repite por sí solo.',
    },
    sending: { name: 'Enviando', meaning: 'Hay imágenes en camino.' },
    idle: { name: 'Todo enviado', meaning: 'No espera nada.' },
    unused: {
      name: 'Nada enviado aún',
      meaning: 'Hasta ahora no se le ha enviado ninguna imagen.',
    },
  },
  facts: {
    address: 'Dirección',
    gets: 'Recibe',
    queue: 'Cola',
    last: 'Último envío',
    error: 'Último intento',
    next: 'Próximo intento',
  },
  tls: 'TLS',
  tlsUnchecked: 'TLS, pero nadie comprueba quién responde: no hay certificado',
  gets: {
    all: 'todo, por sí solo',
    some: (modalities) => `${modalities.join(', ')}, por sí solo`,
    none: 'solo lo que envía una persona',
  },
  neverSent: 'nada aún',
  test: 'Probar la conexión',
  queue: 'Abrir la cola',
  find: 'Buscar estudios anteriores',
  edit: (name) => `Editar ${name}`,
  remove: (name) => `Quitar ${name}`,
  removeTitle: '¿Quitar este destino?',
  removeAction: 'Quitar el destino',
  removeText: (name) => `No se envía nada más a ${name}. Lo que ya tiene se queda allí.`,
  removeWaiting:
    'Aún hay imágenes que lo esperan o que no se pudieron enviar: envíelas o renuncie a ellas primero.',
  form: {
    addTitle: 'Añadir destino',
    who: 'Quién es',
    name: ['Nombre', 'Como lo llama su personal, por ejemplo «PACS del hospital».'],
    aeTitle: ['AE title', 'Como se le llama (AE title llamado). Hasta 16 caracteres.'],
    host: ['Host', 'Nombre o dirección IP.'],
    port: ['Puerto', 'Puerto TCP, a menudo 104 u 11112.'],
    isEnabled: ['Encendido', 'Mientras está apagado, las imágenes esperan.'],
    what: 'Qué recibe',
    isAutomatic: [
      'Enviar todo lo que se recibe',
      'Cada imagen se envía en cuanto está guardada aquí con seguridad. Si no, una persona envía estudios sueltos.',
    ],
    modalities: ['Solo estas modalidades', 'Por ejemplo CT, MR. Vacío: todas.'],
    modalitiesPlaceholder: 'Escriba una modalidad y pulse Intro',
    hasPriors: [
      'De él se pueden traer estudios anteriores',
      'Debe conocer el AE title y la dirección de esta pasarela para enviar aquí los estudios. Mientras se trae uno, no hace falta que esté en la lista de Dispositivos.',
    ],
    security: 'Cifrado',
    isTls: ['Conectar por TLS', 'El otro lado debe escuchar DICOM por TLS en este puerto.'],
    certificate: [
      'Su certificado',
      'Péguelo, o el de su emisor, en formato PEM. Vacío, la conexión se cifra pero nadie comprueba quién responde.',
    ],
    save: 'Guardar',
    add: 'Añadir destino',
    cancel: 'Cancelar',
  },
  back: 'Todos los destinos',
  gone: 'Este destino se quitó',
  goneText: 'Elija otro en la lista de destinos.',
  showLabel: 'Qué estudios',
  shows: { all: 'Todos', waiting: 'En espera', failed: 'No enviados' },
  queueLabel: 'Estudios en camino, primero el que cambió el último',
  columns: {
    patient: 'Paciente',
    counts: 'Imágenes',
    error: 'Último intento',
    at: 'Cambio',
    actions: 'Decidir',
  },
  study: 'Abrir el estudio',
  notSent: 'Algunas imágenes no se enviaron',
  notSentHelp:
    'Cada estudio dice abajo por qué. Inténtelo de nuevo cuando esté corregido, o renuncie: las imágenes se quedan aquí.',
  retryAll: 'Intentar todos ahora',
  dropAll: 'Renunciar a todos',
  retry: 'Intentar ahora',
  drop: 'Renunciar',
  retried: 'Se está intentando de nuevo.',
  dropped: 'Ya no se envía.',
  images: (name) => `Imágenes para ${name}`,
  showImages: 'Las imágenes una a una',
  queueNone: 'Nada en esta cola',
  queueNoneText:
    'Un estudio aparece aquí cuando se envía: por sí solo al llegar sus imágenes, o por una persona desde su página en Imágenes.',
  queueNoneShown: 'Ningún estudio pasa este filtro',
  more: 'Cargando más…',
  last: 'No hay más.',
  dropAsk: {
    title: '¿Renunciar al envío?',
    action: 'Renunciar',
    label: 'Motivo',
    about: 'Queda en el registro de auditoría.',
    example: 'p. ej. enviado en CD, el PACS lo tiene del dispositivo',
  },
  dropText: (name) =>
    `Lo que espera o no se pudo enviar ya no va a ${name}. Las imágenes se quedan aquí y el estudio se puede enviar más tarde.`,
  instanceColumns: {
    image: 'Imagen',
    state: 'Estado',
    attempts: 'Intentos',
    status: 'Respuesta',
    as: 'Enviada como',
    at: 'Cambio',
  },
  forwardStates: {
    waiting: { name: 'En espera' },
    sent: { name: 'Enviada' },
    failed: { name: 'No enviada' },
    dropped: { name: 'Se renunció' },
  },
  next: 'próximo',
}
