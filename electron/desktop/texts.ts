import type { TrayState } from '#shared/contract/shell.ts'

/** Each state has its own shape, so that it can be recognized without color. */
export const TRAY_SHAPES = [
  'ok',
  'attention',
  'partner-away',
  'listener-down',
  'update-ready',
] as const satisfies readonly (TrayState | 'update-ready')[]

export type TrayShape = (typeof TRAY_SHAPES)[number]

/** The kinds of `ShellStatus.attention` that notifications exist for. */
export const NOTIFICATION_KINDS = [
  'stat-unread',
  'criticals-escalated',
  'criticals',
  'partner-away',
  'safe-mode',
  'listener-down',
  'disk',
  'backup',
] as const
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/**
 * The texts of the desktop app outside its window: tray, menus, dialogs and notifications. None
 * contains patient data.
 */
export interface ShellTexts {
  readonly language: 'en' | 'es'
  readonly shapes: Readonly<Record<TrayShape, string>>
  readonly open: string
  readonly lastError: (sentence: string) => string
  readonly starting: string
  readonly safeMode: string
  readonly updateReady: (version: string) => string
  readonly dataFolder: string
  readonly quit: string
  readonly quitConfirmation: {
    readonly message: string
    readonly detail: string
    readonly quit: string
    readonly cancel: string
  }
  readonly closed: {
    readonly message: string
    readonly detail: string
    readonly understood: string
  }
  readonly alreadyRunning: {
    readonly message: (user: string | undefined) => string
    readonly detail: string
  }
  readonly startFailed: {
    readonly message: string
    readonly unknown: (exitCode: number) => string
    readonly tryAgain: string
    readonly quit: string
  }
  readonly menu: Readonly<
    Record<
      | 'file'
      | 'edit'
      | 'view'
      | 'window'
      | 'help'
      | 'today'
      | 'diagnostics'
      | 'close'
      | 'undo'
      | 'redo'
      | 'cut'
      | 'copy'
      | 'paste'
      | 'selectAll'
      | 'reload'
      | 'actualSize'
      | 'larger'
      | 'smaller'
      | 'fullScreen'
      | 'about',
      string
    >
  >
  readonly notifications: Readonly<
    Record<NotificationKind, { readonly title: string; readonly body: (count: number) => string }>
  >
}

const en: ShellTexts = {
  language: 'en',
  shapes: {
    ok: 'Devices are being served',
    attention: 'Something needs attention',
    'partner-away': 'The partner does not respond',
    'listener-down': 'Devices are not being served',
    'update-ready': 'An update is ready',
  },
  open: 'Open Isthmus',
  lastError: (sentence) => `Last error: ${sentence}`,
  starting: 'The gateway is starting',
  safeMode: 'Safe mode: no device is served, nothing is sent',
  updateReady: (version) => `Install version ${version}…`,
  dataFolder: 'Open the data folder',
  quit: 'Quit Isthmus…',
  quitConfirmation: {
    message: 'Quit Isthmus?',
    detail:
      'Devices then get no worklist and cannot send images, and nothing reaches the partner, until Isthmus is started again.',
    quit: 'Quit',
    cancel: 'Keep running',
  },
  closed: {
    message: 'Isthmus goes on serving your devices',
    detail:
      'The window is closed, but devices still get their worklist and can send images. Isthmus is in the tray, and starting it again opens its window, too. To end it, choose Quit.',
    understood: 'Understood',
  },
  alreadyRunning: {
    message: (user) =>
      user === undefined
        ? 'Isthmus is already running on this PC'
        : `Isthmus is already running for ${user}`,
    detail:
      'One PC runs it once, for all who use it. Sign in to Windows, macOS or Linux as that person, or ask them to quit it. Other PCs open the window by a browser where access from the network is switched on.',
  },
  startFailed: {
    message: 'The gateway could not start',
    unknown: (exitCode) =>
      `Its process ended with the code ${exitCode}. The file logs/desktop.log in the data folder may say more.`,
    tryAgain: 'Try again',
    quit: 'Quit',
  },
  menu: {
    file: 'File',
    edit: 'Edit',
    view: 'View',
    window: 'Window',
    help: 'Help',
    today: 'Today',
    diagnostics: 'Readiness and diagnostics',
    close: 'Close the window',
    undo: 'Undo',
    redo: 'Redo',
    cut: 'Cut',
    copy: 'Copy',
    paste: 'Paste',
    selectAll: 'Select all',
    reload: 'Load again',
    actualSize: 'Actual size',
    larger: 'Larger',
    smaller: 'Smaller',
    fullScreen: 'Full screen',
    about: 'About Isthmus',
  },
  notifications: {
    'stat-unread': {
      title: 'STAT study waiting',
      body: (count) =>
        count === 1 ? 'One STAT study waits to be read.' : `${count} STAT studies wait to be read.`,
    },
    'criticals-escalated': {
      title: 'Critical result not communicated in time',
      body: (count) =>
        count === 1
          ? 'One critical result was escalated. Call the referring physician.'
          : `${count} critical results were escalated. Call the referring physicians.`,
    },
    criticals: {
      title: 'Critical result not acknowledged',
      body: (count) =>
        count === 1
          ? 'One critical result waits for an answer.'
          : `${count} critical results wait for an answer.`,
    },
    'partner-away': {
      title: 'The partner does not respond',
      body: () =>
        'It has not answered for more than two minutes. Worklists are given from what was last known.',
    },
    'safe-mode': {
      title: 'Isthmus runs in safe mode',
      body: () =>
        'The gateway ended unexpectedly three times. No device is served and nothing is sent until it is started again.',
    },
    'listener-down': {
      title: 'Devices are not being served',
      body: () => 'The gateway, or a listener of it for devices, is down.',
    },
    disk: {
      title: 'The disk is filling up',
      body: () => 'Soon no more images can be taken in. Make room on the disk of this PC.',
    },
    backup: {
      title: 'The backup failed',
      body: () => 'There is no backup as new as planned. See why, and make one now.',
    },
  },
}

const es: ShellTexts = {
  language: 'es',
  shapes: {
    ok: 'Los equipos están atendidos',
    attention: 'Algo requiere atención',
    'partner-away': 'El sistema externo no responde',
    'listener-down': 'Los equipos no están atendidos',
    'update-ready': 'Hay una actualización lista',
  },
  open: 'Abrir Isthmus',
  lastError: (sentence) => `Último error: ${sentence}`,
  starting: 'La pasarela se está iniciando',
  safeMode: 'Modo seguro: no se atiende a ningún equipo y no se envía nada',
  updateReady: (version) => `Instalar la versión ${version}…`,
  dataFolder: 'Abrir la carpeta de datos',
  quit: 'Salir de Isthmus…',
  quitConfirmation: {
    message: '¿Salir de Isthmus?',
    detail:
      'Los equipos no recibirán listas de trabajo ni podrán enviar imágenes, y nada llegará al sistema externo, hasta que Isthmus se inicie de nuevo.',
    quit: 'Salir',
    cancel: 'Seguir en marcha',
  },
  closed: {
    message: 'Isthmus sigue atendiendo a sus equipos',
    detail:
      'La ventana está cerrada, pero los equipos siguen recibiendo su lista de trabajo y pueden enviar imágenes. Isthmus está en la bandeja del sistema, y al iniciarlo de nuevo también se abre su ventana. Para terminarlo, elija Salir.',
    understood: 'Entendido',
  },
  alreadyRunning: {
    message: (user) =>
      user === undefined
        ? 'Isthmus ya está en marcha en este ordenador'
        : `Isthmus ya está en marcha para ${user}`,
    detail:
      'En un ordenador se ejecuta una sola vez, para todos los que lo usan. Inicie sesión en el sistema como esa persona o pídale que lo cierre. Otros ordenadores abren la ventana con un navegador si el acceso desde la red está activado.',
  },
  startFailed: {
    message: 'La pasarela no pudo iniciarse',
    unknown: (exitCode) =>
      `Su proceso terminó con el código ${exitCode}. El archivo logs/desktop.log de la carpeta de datos puede decir más.`,
    tryAgain: 'Intentar de nuevo',
    quit: 'Salir',
  },
  menu: {
    file: 'Archivo',
    edit: 'Edición',
    view: 'Ver',
    window: 'Ventana',
    help: 'Ayuda',
    today: 'Hoy',
    diagnostics: 'Preparación y diagnóstico',
    close: 'Cerrar la ventana',
    undo: 'Deshacer',
    redo: 'Rehacer',
    cut: 'Cortar',
    copy: 'Copiar',
    paste: 'Pegar',
    selectAll: 'Seleccionar todo',
    reload: 'Volver a cargar',
    actualSize: 'Tamaño real',
    larger: 'Más grande',
    smaller: 'Más pequeño',
    fullScreen: 'Pantalla completa',
    about: 'Acerca de Isthmus',
  },
  notifications: {
    'stat-unread': {
      title: 'Estudio urgente en espera',
      body: (count) =>
        count === 1
          ? 'Un estudio urgente espera su lectura.'
          : `${count} estudios urgentes esperan su lectura.`,
    },
    'criticals-escalated': {
      title: 'Resultado crítico no comunicado a tiempo',
      body: (count) =>
        count === 1
          ? 'Un resultado crítico se escaló. Llame al médico solicitante.'
          : `${count} resultados críticos se escalaron. Llame a los médicos solicitantes.`,
    },
    criticals: {
      title: 'Resultado crítico sin confirmar',
      body: (count) =>
        count === 1
          ? 'Un resultado crítico espera respuesta.'
          : `${count} resultados críticos esperan respuesta.`,
    },
    'partner-away': {
      title: 'El sistema externo no responde',
      body: () =>
        'No responde desde hace más de dos minutos. Las listas de trabajo se dan con lo último que se sabía.',
    },
    'safe-mode': {
      title: 'Isthmus está en modo seguro',
      body: () =>
        'La pasarela terminó tres veces de forma inesperada. No se atiende a ningún equipo ni se envía nada hasta reiniciarla.',
    },
    'listener-down': {
      title: 'Los equipos no están atendidos',
      body: () => 'La pasarela, o uno de sus puertos de escucha para equipos, no funciona.',
    },
    disk: {
      title: 'El disco se está llenando',
      body: () =>
        'Pronto no se podrán recibir más imágenes. Libere espacio en el disco de este ordenador.',
    },
    backup: {
      title: 'La copia de seguridad falló',
      body: () =>
        'No hay una copia tan reciente como estaba previsto. Vea por qué y haga una ahora.',
    },
  },
}

/**
 * The texts in the language of the operating system; English if it is not available. @param locale
 * BCP 47, as returned by `app.getLocale()`
 */
export const shellTexts = (locale: string): ShellTexts => (/^es\b/i.test(locale) ? es : en)
