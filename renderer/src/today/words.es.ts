import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

const are = (count: string, one: string, many: string, is: number) =>
  `${count} ${is === 1 ? one : many}`

export const es: Translated<English> = {
  title: 'Hoy',
  about: 'Tareas y actividad de hoy.',
  needs: 'Requiere atención',
  needsOthers: 'Pendiente de otras personas',
  label: 'Lo que requiere atención',
  calm: 'Todo en orden',
  calmText:
    'Los dispositivos, el socio y el disco están en orden y no hay nada pendiente. Las tareas nuevas aparecen aquí automáticamente.',
  since: 'desde',
  more: (count) => `${count}+`,
  items: {
    'safe-mode': {
      name: 'Modo seguro',
      text: () =>
        'No se atiende a los dispositivos ni se envía nada, para poder buscar la causa. Inicie la pasarela de nuevo cuando se conozca.',
      action: 'Preparación',
    },
    'listener-down': {
      name: 'Un puerto no escucha',
      text: () => 'Los dispositivos o los socios no llegan a la pasarela por ahí.',
      action: 'Ajustes',
    },
    disk: {
      name: 'Espacio para imágenes',
      text: () => 'El disco de las imágenes se está quedando sin espacio.',
      action: 'Imágenes',
    },
    'partner-away': {
      name: 'El socio no responde',
      text: () => 'Los dispositivos reciben listas guardadas mientras sean lo bastante recientes.',
      action: 'Socio',
    },
    'partner-unset': {
      name: 'No hay socio',
      text: () => 'Se rechaza toda lista de trabajo hasta que se indique su dirección.',
      action: 'Socio',
    },
    'audit-broken': {
      name: 'El registro de auditoría fue manipulado',
      text: () => 'Algo distinto de Isthmus cambió la carpeta de datos. Guarde una copia.',
      action: 'Auditoría',
    },
    'audit-anchor': {
      name: 'Falla el ancla del registro de auditoría',
      text: () =>
        'Mientras falle, puede no detectarse que se ponga una base de datos anterior. Corrija los permisos del archivo o el disco y verifique después el registro.',
      action: 'Auditoría',
    },
    'audit-collector': {
      name: 'El colector de auditoría no recibe entradas',
      text: () => 'Esperan aquí y se envían cuando se pueda llegar a él.',
      action: 'Ajustes',
    },
    backup: {
      name: 'Falta una copia de seguridad válida',
      text: () => 'Sin ella, lo escrito se pierde con este PC.',
      action: 'Copias de seguridad',
    },
    rehearsal: {
      name: 'Ensayo de una copia de seguridad',
      text: () => 'Solo un ensayo demuestra que una copia se puede restaurar.',
      action: 'Copias de seguridad',
    },
    standby: {
      name: 'La réplica va atrasada',
      text: () => 'Lo que le falta se pierde con este PC.',
      action: 'Copias de seguridad',
    },
    setup: {
      name: 'La puesta en marcha no ha terminado',
      text: () => 'Se puede continuar donde se dejó: quedan pasos abiertos.',
      action: 'Continuar',
    },
    recovered: {
      name: 'Archivos de imagen sin registro',
      text: (count, of) =>
        are(count, 'archivo de imagen no está', 'archivos de imagen no están', of).concat(
          ' en la base de datos, por ejemplo porque se restauró una copia más antigua. No se eliminó nada.',
        ),
      action: 'Importar',
    },
    'correction-notices': {
      name: 'Avisos de corrección',
      text: (count, of) =>
        are(count, 'destinatario tiene', 'destinatarios tienen', of).concat(
          ' una versión anterior de imágenes corregidas y hay que informarles.',
        ),
      action: 'Informar',
    },
    'images-replaced': {
      name: 'Imágenes sustituidas',
      text: (count, of) =>
        are(count, 'estudio tiene', 'estudios tienen', of).concat(
          ' imágenes que el dispositivo volvió a enviar con otros píxeles. Compare las versiones.',
        ),
      action: 'Comparar',
    },
    mismatches: {
      name: 'Paciente o exploración no coinciden',
      text: (count, of) =>
        are(count, 'estudio tiene imágenes de', 'estudios tienen imágenes de', of).concat(
          ' otro paciente u otra petición que lo programado.',
        ),
      action: 'Comparar',
    },
    criticals: {
      name: 'Resultados críticos',
      text: (count, of) =>
        are(
          count,
          'resultado crítico sin comunicar a nadie.',
          'resultados críticos sin comunicar a nadie.',
          of,
        ),
      action: 'Comunicar',
    },
    'addenda-needed': {
      name: 'Requieren adenda',
      text: (count, of) =>
        are(count, 'informe firmado requiere', 'informes firmados requieren', of).concat(
          ' una adenda porque hubo cambios en las imágenes después de la firma.',
        ),
      action: 'Abrir lista',
    },
    'stat-unread': {
      name: 'STAT',
      text: (count, of) => are(count, 'estudio STAT sin firmar.', 'estudios STAT sin firmar.', of),
      action: 'Leer',
    },
    'reports-undelivered': {
      name: 'Informes en camino',
      text: (count, of) =>
        are(count, 'informe firmado no ha', 'informes firmados no han', of).concat(
          ' llegado al socio desde hace más de una hora.',
        ),
      action: 'Entregas',
    },
    'endpoints-off': {
      name: 'Un destino de eventos está apagado',
      text: (count, of) =>
        are(
          count,
          'dirección del socio ya no recibe',
          'direcciones del socio ya no reciben',
          of,
        ).concat(' nada.'),
      action: 'Socio',
    },
    downtime: {
      name: 'El modo de contingencia está activo',
      text: () =>
        'Los dispositivos pueden recibir la última lista válida. Termínelo en el panel lateral cuando el socio responda.',
      action: 'Exploraciones de hoy',
    },
    quarantined: {
      name: 'Imágenes apartadas',
      text: (count, of) =>
        are(count, 'imagen apartada espera', 'imágenes apartadas esperan', of).concat(
          ' una decisión.',
        ),
      action: 'Decidir',
    },
    'forwards-failed': {
      name: 'Imágenes sin enviar',
      text: (count, of) =>
        are(count, 'imagen no se pudo', 'imágenes no se pudieron', of).concat(
          ' enviar a su destino.',
        ),
      action: 'Destinos',
    },
    'unknown-callers': {
      name: 'Dispositivos desconocidos',
      text: (count, of) =>
        are(
          count,
          'dispositivo desconocido ha llamado y no es atendido.',
          'dispositivos desconocidos han llamado y no son atendidos.',
          of,
        ),
      action: 'Aprobar o descartar',
    },
    workstations: {
      name: 'Solicitudes de puestos',
      text: (count, of) =>
        are(count, 'puesto pide', 'puestos piden', of).concat(' abrir esta ventana.'),
      action: 'Aprobar o rechazar',
    },
    'exams-overdue': {
      name: 'Exploraciones atrasadas',
      text: (count, of) =>
        are(
          count,
          'exploración lleva más de una hora de retraso y no ha',
          'exploraciones llevan más de una hora de retraso y no han',
          of,
        ).concat(' empezado en ningún dispositivo.'),
      action: 'Ver',
    },
    'images-unplanned': {
      name: 'Exploraciones sin petición',
      text: (count, of) =>
        are(count, 'exploración se hizo', 'exploraciones se hicieron', of).concat(' sin petición.'),
      action: 'Conciliar',
    },
    'exams-withheld': {
      name: 'Exploraciones retenidas',
      text: (count, of) =>
        are(
          count,
          'exploración de hoy no se puede',
          'exploraciones de hoy no se pueden',
          of,
        ).concat(' enviar a los dispositivos tal como las escribió el socio.'),
      action: 'Ver por qué',
    },
    'my-drafts': {
      name: 'Mis borradores',
      text: (count, of) =>
        are(
          count,
          'informe empezado por usted y sin firmar.',
          'informes empezados por usted y sin firmar.',
          of,
        ),
      action: 'Seguir escribiendo',
    },
    addenda: {
      name: 'Adendas',
      text: (count, of) =>
        are(count, 'adenda se está escribiendo.', 'adendas se están escribiendo.', of),
      action: 'Abrir',
    },
    'studies-waiting': {
      name: 'Espera larga',
      text: (count, of) =>
        are(count, 'estudio espera', 'estudios esperan', of).concat(
          ' informe desde hace más de un día.',
        ),
      action: 'Lista de lectura',
    },
    'events-failed': {
      name: 'Eventos fallidos',
      text: (count, of) =>
        are(count, 'evento falló', 'eventos fallaron', of).concat(' en las últimas 24 horas.'),
      action: 'Eventos',
    },
    'second-factor': {
      name: 'Su cuenta no tiene autenticación de dos factores',
      text: () => 'Administra la pasarela y solo la protege la contraseña.',
      action: 'Mi cuenta',
    },
    'mail-failing': {
      name: 'El correo no sale',
      text: (count, of) =>
        are(count, 'invitación no se pudo', 'invitaciones no se pudieron', of).concat(
          ' enviar por correo.',
        ),
      action: 'Personas',
    },
    'invitations-pending': {
      name: 'Invitaciones',
      text: (count, of) =>
        are(count, 'invitación', 'invitaciones', of).concat(
          ' sin respuesta desde hace más de tres días.',
        ),
      action: 'Personas',
    },
    certificate: {
      name: 'Un certificado caduca',
      text: () => 'Renuévelo y entregue el nuevo a quien confía en el anterior.',
      action: 'Ajustes',
    },
    advice: { name: 'Por corregir', text: () => '', action: 'Ajustes' },
  },

  numbers: {
    label: 'Cifras del día',
    exams: 'Exploraciones de hoy',
    begun: 'en curso',
    completed: 'Exploraciones completadas',
    unread: 'Por leer',
    signed: 'Firmados hoy',
    images: 'Imágenes de hoy',
    receiving: 'Recibiendo ahora',
    queries: 'Consultas de lista',
    connected: 'Dispositivos conectados',
  },

  gateway: 'Pasarela',
  listenerNames: {
    dimse: 'Dispositivos (DICOM)',
    'dimse-tls': 'Dispositivos, cifrado (DICOM TLS)',
    http: 'Esta ventana y la interfaz',
    https: 'Otros puestos de trabajo (HTTPS)',
  },
  listeners: 'A la escucha',
  up: 'Activo',
  down: 'Caído',
  aeTitle: (aeTitle) => `AE title ${aeTitle}`,
  storage: 'Espacio para imágenes',
  storageStates: {
    ok: { name: 'Suficiente' },
    low: { name: 'Poco' },
    full: { name: 'Lleno' },
    'read-only': { name: 'No se puede escribir' },
  },
  free: (free, total) => `${free} libres de ${total}`,
  used: (share) => `Está usado el ${share} % del disco`,
  toSend: (images) => `${countText(images, 'imagen', 'imágenes')} por enviar`,
  partner: 'Socio',
  partnerStates: {
    unset: {
      name: 'Sin configurar',
      text: 'No hay socio, así que se rechaza toda lista de trabajo.',
    },
    unknown: {
      name: 'Aún sin preguntar',
      text: 'No se ha preguntado al socio desde que arrancó la pasarela.',
    },
    up: { name: 'Responde', text: 'El socio responde.' },
    down: { name: 'No disponible', text: 'No se puede contactar con el socio.' },
    refusing: { name: 'Rechaza', text: 'El socio responde, pero rechaza.' },
  },
  partnerUnusable: {
    name: 'No utilizable',
    text: 'El socio responde, pero sus respuestas no se pueden usar.',
  },
  failingSince: 'Desde',
  lastOk: 'Última respuesta válida',
  downSince: 'No disponible desde',
  because: 'Motivo',
  address: 'Dirección',
  neverAnswered: 'ninguna todavía',
  downtime: 'Modo de contingencia',
  on: 'Activo',
  off: 'Inactivo',
  downtimeOff:
    'Si no se puede contactar con el socio durante mucho tiempo, permite que los dispositivos reciban la última lista válida de hoy unas horas más.',
  downtimeOn: 'Los dispositivos pueden recibir la última lista válida.',
  downtimeStart: 'Iniciar el modo de contingencia',
  downtimeEnd: 'Terminar el modo de contingencia',
  downtimeFacts: {
    by: 'Iniciado por',
    since: 'Desde',
    until: 'Termina a más tardar',
    reason: 'Motivo',
  },
  downtimeAsk: {
    title: 'Iniciar el modo de contingencia',
    about: [
      'Mientras no se pueda contactar con el socio, los dispositivos reciben su última lista válida de hoy, por antigua que sea dentro del límite de los ajustes.',
      'Las exploraciones pedidas, cambiadas o canceladas desde entonces no están en ella. Avise a los técnicos.',
      'Termina por sí solo a medianoche, o con la primera respuesta del socio.',
    ],
    reason: 'Motivo',
    reasonAbout: 'Se muestra a todos y queda en el registro de auditoría.',
    example: 'p. ej., línea de Internet caída, proveedor avisado a las 10:50',
    cancel: 'Cancelar',
  },
}
