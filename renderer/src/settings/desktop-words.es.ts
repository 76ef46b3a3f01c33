import type { Translated } from '../i18n/words.ts'
import type { English } from './desktop-words.en.ts'

export const es: Translated<English> = {
  title: 'Esta aplicación',
  about:
    'La aplicación de escritorio en el PC de la pasarela: cuándo se inicia, dónde guarda la clave de datos y sus actualizaciones.',
  browser: {
    title: 'Esta ventana está abierta en un navegador',
    text: 'Que la pasarela se inicie con su PC, dónde se guarda la clave de datos y las actualizaciones se gestionan en la aplicación de escritorio de ese PC. Una pasarela que funciona como servicio no la tiene: la inicia el sistema y la actualizan sus paquetes.',
  },
  unreadable: 'La aplicación no responde. Cierre su ventana y ábrala de nuevo desde la bandeja.',
  autostart: [
    'Iniciar con este PC',
    'Cuando alguien inicia sesión en él; la ventana queda en la bandeja. Desde entonces se atiende a los dispositivos.',
  ],
  key: 'Clave de datos',
  keyAbout: 'Lo que abre la base de datos y sus copias de seguridad.',
  keyStates: {
    platform: {
      name: 'Bloqueada por esta cuenta',
      text: 'El almacén de claves de esta cuenta la mantiene bloqueada. Un disco copiado no se abre; en otra cuenta u otro PC la abre la clave de recuperación.',
    },
    basic: {
      name: 'Sin bloqueo: el almacén de claves no protege nada',
      text: 'Este PC tiene un almacén de claves sin bloqueo real, así que la clave sigue en un archivo que solo su propietario puede leer. Instale y desbloquee un anillo de claves (GNOME Keyring, KWallet) o cifre el disco.',
    },
    none: {
      name: 'Sin bloqueo: no hay almacén de claves',
      text: 'Este PC no tiene almacén de claves, así que la clave sigue en un archivo que solo su propietario puede leer. Cifre el disco.',
    },
    file: {
      name: 'Un archivo que solo su propietario puede leer',
      text: 'La cuenta la bloquea cuando haya una clave de recuperación en vigor: sin ella, quien pierda la cuenta lo perdería todo.',
    },
  },
  recovery: 'Crear una clave de recuperación',
  update: 'Actualización',
  version: (version) => `Esta es la versión ${version}.`,
  updateStates: {
    none: { name: 'Al día' },
    'not-here': { name: 'No se actualiza por sí misma' },
    checking: { name: 'Preguntando si hay una más nueva' },
    available: { name: 'Hay una más nueva' },
    downloading: { name: 'Se está descargando' },
    ready: { name: 'Lista para instalar' },
    installing: { name: 'Se está instalando' },
    failed: { name: 'No se pudo obtener' },
  },
  offered: (version) => `La versión ${version} está aquí.`,
  notes: 'Novedades',
  noNotes: 'Sus novedades están en CHANGELOG.md de esa versión.',
  check: 'Buscar actualización',
  install: 'Instalar ahora…',
  installTitle: (version) => `¿Instalar ahora la versión ${version}?`,
  installSteps: [
    'Se hace una copia de seguridad.',
    'No se acepta ninguna conexión nueva de dispositivos; las abiertas terminan antes, en dos minutos como mucho.',
    'La aplicación se cierra, se sustituye y se inicia de nuevo por sí sola. Los dispositivos no reciben lista de trabajo durante un minuto aproximadamente.',
    'Si algo de esto falla, todo queda como está y se dice por qué.',
  ],
  installAction: 'Instalar ahora',
  later: 'Más tarde',
  automatic: [
    'Instalar por sí sola',
    (at) =>
      `En la hora de mantenimiento, desde las ${at}, tras una copia de seguridad. Nunca mientras el PC se apaga.`,
  ],
}
