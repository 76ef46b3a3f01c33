import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Ajustes',
  tabs: {
    label: 'Ajustes',
    all: 'Ajustes',
    access: 'Acceso desde otros PC',
    backUps: 'Copias de seguridad',
    readiness: 'Preparación',
  },
  about:
    'Los cambios surten efecto de inmediato, salvo donde se indique un reinicio. Se guardan todos juntos o ninguno, y quedan en el registro de auditoría.',
  restart: 'surte efecto en el próximo inicio',
  isInitial: 'valor inicial',
  initial: (value) => `Valor inicial: ${value}`,
  reset: (label) => `Devolver «${label}» a su valor inicial`,
  changed: (count) =>
    count === 1 ? 'Hay 1 cambio sin guardar' : `Hay ${count} cambios sin guardar`,
  faults: (names) => `Por corregir: ${names.join(', ')}`,
  discard: 'Descartar',
  save: 'Guardar todo',
  saved: 'Los ajustes se han guardado.',
  needsRestart:
    'Guardado. Algunos de estos ajustes surten efecto cuando la pasarela se inicie de nuevo.',
  restartNow: 'Reiniciar ahora',
  plain: {
    title: '¿Abrir la ventana a la red sin cifrar?',
    action: 'Guardar y abrir',
    keep: 'Volver a los ajustes',
    texts: [
      'La escucha HTTP es solo para este PC. En esta dirección también llegan otros PC: las contraseñas y los datos de pacientes pasan por la red legibles para cualquiera.',
      'No hace falta aprobar ningún PC para ella.',
      'Para que otros PC trabajen con la ventana, deje aquí 127.0.0.1 y abra el acceso por HTTPS en «Acceso desde otros PC».',
    ],
  },
  on: 'Activado',
  off: 'Desactivado',
  empty: 'ninguno',
  noDestination: 'solo cuando se pida',
  list: 'Escribir un valor y pulsar Intro',
  localZone: 'Zona horaria de este PC',
  pem: '-----BEGIN CERTIFICATE-----',
  certificates: {
    title: 'Certificados',
    about:
      'Lo que esta pasarela muestra cuando alguien se conecta cifrado. Un certificado hecho aquí no lo conoce nadie: hay que entregarlo a los dispositivos y PC que deban confiar en él.',
    uses: { https: 'Ventana e interfaz (HTTPS)', 'dicom-tls': 'Dispositivos (DICOM TLS)' },
    inUse: 'En uso',
    notInUse: 'Sin uso',
    subject: 'Para',
    issuer: 'Emitido por',
    selfMade: 'esta misma pasarela',
    valid: 'Válido',
    validity: (from, to) => `del ${from} al ${to}`,
    fingerprint: 'Huella digital (SHA-256)',
    left: (days) => (days === 1 ? 'Queda 1 día' : `Quedan ${days} días`),
    ended: 'Ha caducado',
    endsSoon: 'Renovarlo antes de que caduque y entregar el nuevo a quienes confían en este.',
    endedText:
      'Quien lo comprueba rechaza la conexión. Renovarlo y entregar el nuevo a quienes confían en este.',
    copy: 'Copiar PEM',
    copied: 'Copiado',
    download: 'Descargar',
    renew: 'Renovar',
    renewed: 'El certificado nuevo está hecho.',
    renewTitle: '¿Hacer un certificado nuevo?',
    renewAction: 'Hacer uno nuevo',
    renewText: {
      https:
        'A los navegadores y socios que confían en el anterior hay que entregarles el nuevo. Hasta entonces rechazan la conexión.',
      'dicom-tls':
        'A los dispositivos que recibieron el anterior hay que entregarles el nuevo. Hasta entonces no pueden conectarse cifrados: no reciben lista de trabajo ni envían imágenes.',
    },
    none: 'Todavía ninguno. Se hace uno cuando la pasarela atiende conexiones cifradas por primera vez.',
  },
}
