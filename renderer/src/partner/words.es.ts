import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Socio',
  about:
    'El sistema que conoce las exploraciones: un RIS, una historia clínica o un servicio de informes. La pasarela le pregunta por HTTPS con peticiones firmadas (Standard Webhooks) cada vez que un dispositivo pide su lista de trabajo.',
  url: [
    'Dirección (URL)',
    'Donde el socio recibe peticiones, según su documentación. Empieza por https://.',
  ],
  secret: [
    'Secreto de firma',
    'Demuestra al socio que una petición viene de esta clínica. Empieza por whsec_.',
  ],
  secretKept: 'Se mantiene como está. Introducir otro solo si el socio ha dado uno.',
  secretMade:
    'Si se deja vacío, se crea uno y se muestra una sola vez, para introducirlo en el socio.',
  secretSet: 'Hay un secreto',
  secretUnset: 'Aún sin secreto',
  plaintext: [
    'Permitir http sin cifrar o una dirección privada',
    'Solo para un socio dentro de la red de la clínica. Por http, los nombres de los pacientes viajan sin cifrar y cualquiera en el camino puede leerlos o cambiarlos.',
  ],
  needsPlaintext: 'Esta dirección empieza por http://: las peticiones no irían cifradas.',
  save: 'Guardar',
  saved: 'El socio está guardado.',
  events: 'Recibe',
  noEvents: 'Nada todavía',
  test: {
    title: 'Prueba',
    about:
      'Pide ahora al socio la lista de hoy. No se guarda nada y ningún dispositivo recibe nada.',
    button: 'Probar ahora',
    good: 'El socio respondió',
    bad: 'El socio no dio ninguna lista',
    first: 'Primero hay que guardar una dirección.',
  },
  shown: {
    what: 'el secreto',
    title: 'El nuevo secreto de firma',
    about:
      'Introducirlo ahora en el socio. Se muestra solo esta vez; después nadie puede leerlo aquí.',
    copied: 'Ya está en el socio',
  },
  setUp: 'Socio',
  endpoints: 'Puntos de conexión',
  eventNouns: ['evento', 'eventos'],
  endpointsAbout:
    'Adónde va cada evento. Lo habitual es un solo lugar para todos; los eventos de estudios hechos con una clave de API pueden ir al propio de esa clave. Cada evento de los mismos estudios va a un solo punto de conexión.',
  addEndpoint: 'Añadir un punto de conexión',
  add: 'Añadir',
  cancel: 'Cancelar',
  close: 'Cerrar',
  enabled: 'En uso',
  disabled: 'Desactivado',
  disabledReasons: {
    person: 'Se desactivó aquí.',
    gone: 'Respondió a un informe con 410: esta dirección ya no se usa.',
  },
  enable: 'Activar de nuevo',
  enableAbout: (waiting) =>
    waiting === 0
      ? 'No se le envía ningún evento.'
      : `${waiting === 1 ? 'Un evento espera y saldrá' : `${waiting} eventos esperan y saldrán`} cuando se active.`,
  disable: (name) => `Desactivar ${name}`,
  edit: (name) => `Modificar ${name}`,
  remove: (name) => `Eliminar ${name}`,
  removeTitle: '¿Eliminar este punto de conexión?',
  removeAction: 'Eliminar',
  removeText: (name) => `${name} no recibe más eventos; irán al socio de la clínica.`,
  removeWaiting: (events) => `${events} que lo esperan van también allí.`,
  testEvent: 'Probar…',
  rotate: 'Nuevo secreto…',
  facts: {
    url: 'Dirección',
    studies: 'Estudios',
    events: 'Recibe',
    secret: 'Firmado con',
    files: 'Archivos de',
    times: 'Tiempo permitido',
    waiting: 'En espera',
  },
  allStudies: 'Todos los estudios',
  ofKey: (description) => `Los hechos con la clave de API ${description}`,
  allEvents: 'Todos los eventos',
  secretSince: 'un secreto del',
  oldSecret: ', y el anterior hasta',
  noFiles: 'ninguno: no se traen archivos',
  nothingWaits: 'nada',
  refusedHosts: 'Las respuestas nombraron direcciones no permitidas',
  refusedAbout:
    'No se trajo nada de estos servidores. Permitir solo lo que nombra la documentación del socio.',
  allow: 'Permitir',
  form: {
    where: 'Dónde',
    name: ['Nombre', 'Como se le llama aquí.'],
    url: ['Dirección (URL)', 'Donde recibe eventos, según su documentación. Empieza por https://.'],
    noUrl: 'debe ser una dirección que empiece por https://',
    allowPlaintext: [
      'Permitir http sin cifrar o una dirección privada',
      'Solo dentro de la red de la clínica. Por http, los nombres de los pacientes viajan sin cifrar.',
    ],
    secret: [
      'Secreto de firma',
      'Empieza por whsec_. Si se deja vacío, se crea uno y se muestra una sola vez.',
    ],
    what: 'Qué recibe',
    apiKeyId: [
      'Estudios',
      'De una clave de API: los eventos de estudios hechos con esa clave vienen aquí y no al socio de la clínica.',
    ],
    events: ['Eventos', 'Lo que no se elige va al socio de la clínica.'],
    files: 'Archivos',
    fileHosts: [
      'Servidores de archivos',
      'Imágenes, documentos y capturas se traen y se envían solo a estos servidores, según las direcciones firmadas del socio.',
    ],
    times: 'Tiempo que puede tardar una llamada',
    usual: 'lo habitual',
  },
  rotation: {
    title: (name) => `Nuevo secreto de firma para ${name}`,
    about:
      'Durante un tiempo los eventos se firman con ambos secretos, para que el socio cambie sin perder ninguno.',
    secret: [
      'Nuevo secreto',
      'Empieza por whsec_. Si se deja vacío, se crea uno y se muestra una sola vez.',
    ],
    leaked: ['Retirar ya el anterior', 'Si es posible que alguien más lo conozca.'],
    leakedWarning:
      'Hasta que el nuevo secreto esté en el socio, este rechazará todos los eventos. Los informes esperan y salen después.',
    action: 'Cambiar el secreto',
    done: 'El secreto está cambiado.',
  },
  testing: {
    title: (name) => `Probar ${name}`,
    about:
      'Envía un evento con datos inventados. Se muestra su respuesta y no tiene ningún efecto.',
    event: 'Evento',
    good: 'Funciona',
    bad: 'No funciona',
    open: 'Ver lo que se envió y se respondió',
    action: 'Enviar la prueba',
  },
}
