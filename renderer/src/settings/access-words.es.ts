import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './access-words.en.ts'

export const es: Translated<English> = {
  title: 'Acceso desde otros PC',
  about:
    'La ventana en los PC de la red del centro, cifrada (HTTPS). Cada PC se aprueba una vez; después se inicia sesión en él como aquí.',
  lan: {
    title: 'Acceso',
    on: 'Abierto a otros PC',
    isOn: 'Abierto',
    isOff: 'Cerrado',
    isDown: 'No está abierto',
    whatOn:
      'Los PC de la red encuentran la ventana y la interfaz en estas direcciones. Un PC que nadie ha aprobado solo puede pedirlo.',
    whatOff:
      'Solo este PC muestra la ventana. Al abrirla, las salas de informes y la recepción trabajan en sus propios PC: los datos de pacientes pasan entonces por la red, cifrados.',
    open: '¿Abrir la ventana a otros PC?',
    openAction: 'Abrir el acceso',
    keepClosed: 'Dejarlo cerrado',
    openTexts: [
      'Cualquier dispositivo de la red de este PC llega entonces a la página en que un PC pide aprobación, a los enlaces de estudios y a la interfaz para sistemas externos.',
      'Los datos de pacientes pasan entonces por la red, cifrados con HTTPS. Un PC solo trabaja con la ventana después de que usted lo apruebe aquí.',
      'Abra el puerto en el cortafuegos solo para la red del centro, y pida que se configure la verificación en dos pasos.',
    ],
    close: '¿Cerrar el acceso?',
    closeAction: 'Cerrar el acceso',
    closeText:
      'Quien trabaje con la ventana en otro PC queda desconectado al instante. También los sistemas asociados que llaman por HTTPS.',
    keep: 'Dejarlo abierto',
    host: 'Dirección de escucha',
    hostAbout: '0.0.0.0 son todas las direcciones de este PC.',
    port: 'Puerto TCP',
    apply: 'Aplicar',
    listensAt: 'Dónde escucha',
  },
  addresses: {
    title: 'Direcciones',
    about: 'Escribirla en el navegador del otro PC, o leer el código con una tableta.',
    qr: (url) => `Código QR de ${url}`,
    firewall:
      'Si ninguna dirección responde, el cortafuegos de este PC mantiene cerrado el puerto: permitirlo solo para la red del centro.',
  },
  fingerprint: {
    title: 'Huella digital del certificado',
    about:
      'El navegador del otro PC avisa una vez, porque el certificado se hizo aquí y ninguna autoridad pública lo conoce. Antes de continuar allí, abrir el certificado desde el aviso y comparar su huella SHA-256 con esta.',
  },
  asking: {
    title: 'PC que lo piden',
    about: 'Aprobar uno solo si su pantalla muestra los mismos seis caracteres.',
    none: 'Ningún PC lo pide en este momento',
    noneText:
      'Abrir en el otro PC una de las direcciones, darle allí un nombre y pulsar el botón: entonces aparece aquí.',
    noneOff: 'Cuando el acceso esté abierto, los PC que quieran la ventana aparecen aquí.',
    name: 'Nombre',
    code: 'Código',
    from: (address) => `desde ${address}`,
    approve: 'Aprobar',
    refuse: 'Rechazar',
    approved: (name) => `${name} está aprobado.`,
    refused: 'El PC se ha rechazado.',
  },
  approved: {
    title: 'PC aprobados',
    none: 'Todavía no hay ningún PC aprobado',
    columns: {
      name: 'PC',
      address: 'Dirección',
      browser: 'Navegador',
      approved: 'Aprobado por',
      seen: 'Visto por última vez',
      actions: 'Acciones',
    },
    remove: (name) => `Retirar ${name}`,
    removeTitle: '¿Retirar este PC?',
    removeAction: 'Retirar el PC',
    removeText: (name) =>
      `Las sesiones en ${name} terminan al instante, y tendrá que pedirlo de nuevo.`,
    keep: 'Conservarlo',
    count: (count) => countText(count, 'PC', 'PC'),
  },
  sessions: {
    title: 'Quién ha iniciado sesión',
    about: 'Las sesiones de todos, dondequiera que estén.',
    columns: {
      who: 'Persona',
      place: 'Dónde',
      browser: 'Navegador',
      since: 'Desde',
      used: 'Último uso',
      state: 'Estado',
      actions: 'Acciones',
    },
    isThis: 'Esta ventana',
    open: 'Abierta',
    locked: 'Bloqueada',
    lockedMeaning: 'No abre nada hasta que su persona dé la contraseña.',
    end: (name) => `Terminar la sesión de ${name}`,
    ended: (name) => `La sesión de ${name} ha terminado.`,
  },
}
