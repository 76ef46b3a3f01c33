import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

export const es: Translated<English> = {
  title: 'Copias de seguridad',
  about:
    'Copias de la base de datos, cifradas, que se hacen mientras la pasarela sigue trabajando. Cada una se abre y se compara antes de darse por válida; una vez al mes se prueba una como en el peor día.',
  make: 'Hacer una copia ahora',
  states: {
    good: 'En orden',
    info: 'En curso',
    warning: 'Por considerar',
    danger: 'Por corregir',
    plain: 'Sin uso',
  },
  phases: {
    copying: 'Copiando la base de datos',
    checking: 'Abriendo la copia y comparándola',
    encrypting: 'Cifrando',
    comparing: 'Leyéndola de nuevo y comparando',
    rehearsing:
      'Probando la última copia: se abre, se cuenta, se sigue el registro de auditoría y se leen informes',
  },
  share: (phase, percent) => `${phase}, ${percent}`,
  goesOn:
    'Ni los dispositivos ni las personas esperan por ella. Continúa aunque se salga de esta pantalla.',

  last: {
    title: 'Última copia',
    none: 'Aún no se ha hecho ninguna',
    noFolder: 'No hay carpeta elegida',
    noFolderText:
      'Elija una más abajo, mejor en otro disco. Hasta entonces, lo que hay en este PC no está en ningún otro sitio.',
    failed: 'La última no se hizo',
    fault: 'No se puede leer la carpeta',
    old: 'La más reciente es más antigua de lo previsto',
    byHand: 'Solo se hacen a mano',
    byHandText: 'Nada hace una por sí solo. Elija una hora más abajo.',
    unplanned: 'El plan aún no ha hecho ninguna',
    unplannedText:
      'La más reciente se hizo a mano o antes de una actualización. Si el plan funciona se sabrá cuando haga una.',
    sameDisk: 'Hecha según lo previsto, en el disco de los datos',
    sameDiskText:
      'Si falla el disco de los datos, sus copias se pierden con él. Elija más abajo una carpeta en otro disco o en otra máquina.',
    fine: 'Hecha según lo previsto',
    made: 'Hecha',
    holds: 'Contiene',
    database:
      'La base de datos con informes, ajustes y registro de auditoría. No las imágenes: solo están a salvo donde se hayan enviado.',
    place: 'Dónde',
    places: {
      'same-disk': 'En el disco de los datos',
      'other-disk': 'En otro disco o partición de este PC',
      network: 'En otra máquina',
      synced: 'En una carpeta que se copia a una nube',
    },
    running: 'Se está haciendo una',
    newest: 'Más reciente',
    next: 'Próxima',
    never: 'no por sí sola',
  },
  rehearsal: {
    title: 'Ensayo',
    never: 'Aún no se ha probado',
    neverText:
      'Una copia que nunca se abrió es solo una esperanza. El primer ensayo sigue a la primera copia prevista.',
    good: 'La última copia se abre',
    bad: 'El ensayo falló',
    running: 'Se está probando',
    tried: 'Probada',
    took: 'Duró',
    due: 'Próximo',
    none: 'tras la próxima copia prevista',
    now: 'Probar ahora',
  },
  standby: {
    title: 'Réplica',
    none: 'No se conoce ninguna copia en otro lugar',
    noneText:
      'Un segundo PC puede esperar con una copia. docs/STANDBY.md explica cómo se monta; la copia avisa entonces a esta pasarela.',
    good: 'La copia está al día',
    late: 'La copia va con retraso',
    point: 'Punto de recuperación',
    pointMeaning: 'Si este PC se perdiera ahora, se pierde lo escrito después.',
    copied: 'Copiada',
    to: 'A',
    never: 'nada todavía',
  },

  plan: {
    title: 'Plan',
    folder: ['Carpeta en el PC de la pasarela', 'Mejor en otro disco. Se crea si no existe.'],
    example: 'p. ej. D:\\Copias de Isthmus o /mnt/backup/isthmus',
    use: 'Usar esta carpeta',
    daily: ['Cada día', 'Según el reloj de la clínica. Un PC que estaba suspendido la recupera.'],
    at: 'A las',
    often: ['Para una réplica', 'Además de la diaria: decide cuánto cuesta perder este PC.'],
    every: 'Cada',
    minutes: ' min',
    keep: [
      'Se conservan',
      'De cada día, semana y mes se conserva la última durante este tiempo. La más reciente nunca se elimina, ni las hechas a mano.',
    ],
    days: 'Días',
    weeks: 'Semanas',
    months: 'Meses',
    on: 'Activado',
    off: 'Desactivado',
    save: 'Guardar el plan',
    discard: 'Descartar',
    saved: 'El plan se ha guardado.',
    outside:
      'Las imágenes no están en una copia: copie la carpeta «images» de la carpeta de datos por sus propios medios, o deje que una réplica copie ambas. La clave de datos solo está en ella bajo la clave de recuperación.',
  },

  list: {
    title: 'En la carpeta',
    empty: 'Aún no hay copias',
    emptyText:
      'Con un plan, la primera llega por sí sola en unos minutos; el botón de arriba hace una ahora.',
    columns: {
      made: 'Hecha',
      kind: 'Motivo',
      size: 'Tamaño',
      opens: 'Se abre con',
      version: 'Versión',
      kept: 'Se conserva hasta',
      actions: 'Acciones',
    },
    kinds: { 'by-hand': 'a mano', scheduled: 'prevista', 'before-update': 'antes de actualizar' },
    withKey: 'este PC o la clave de recuperación',
    withoutKey: 'solo este PC',
    withoutKeyMeaning:
      'No había clave de recuperación cuando se hizo: sin la clave de datos de este PC nadie puede abrirla.',
    version: (program, schema) => `${program}, esquema ${schema}`,
    forever: 'que alguien la elimine',
    back: 'Restaurar…',
    backOf: (name) => `Restaurar ${name}`,
    remove: (name) => `Eliminar ${name}`,
    removed: 'La copia se ha eliminado.',
    removeTitle: '¿Eliminar esta copia?',
    removeText: (name) => `${name} se borra de la carpeta y no se puede recuperar.`,
    removeAction: 'Eliminarla',
    elsewhere: 'Restaurar desde otra carpeta…',
  },

  elsewhere: {
    title: 'Una copia en otra carpeta',
    label: 'Carpeta de la copia en el PC de la pasarela',
    about: 'La carpeta con la fecha en su nombre, por ejemplo en un disco recién conectado.',
    example: 'p. ej. E:\\isthmus-2026-11-20-023000Z',
    wrong: 'debe ser la ruta completa de la carpeta de una copia',
    look: 'Mirar en ella',
    cancel: 'Cancelar',
  },

  restore: {
    title: 'Restaurar una copia',
    of: (moment) => `La copia de ${moment}`,
    cannot: 'Esta copia no se puede restaurar',
    columns: { what: 'Qué', inBackup: 'En la copia', now: 'Ahora', change: 'Cambio' },
    tables: {
      users: 'Personas',
      devices: 'Dispositivos',
      settings: 'Ajustes',
      expressCustomers: 'Clientes Express',
      studies: 'Estudios',
      reports: 'Informes',
      imageStudies: 'Estudios con imágenes',
      auditEntries: 'Entradas del registro de auditoría',
    },
    unknown: 'desconocido',
    same: 'igual',
    lostTitle: 'Qué se perdería',
    lost: (things) => `No están en la copia y ahora sí: ${things}.`,
    more: (things) => `Están en la copia y ahora no, y vuelven: ${things}.`,
    count: {
      users: (count) => countText(count, 'persona', 'personas'),
      devices: (count) => countText(count, 'dispositivo', 'dispositivos'),
      settings: (count) => countText(count, 'ajuste', 'ajustes'),
      expressCustomers: (count) => countText(count, 'cliente Express', 'clientes Express'),
      studies: (count) => countText(count, 'estudio', 'estudios'),
      reports: (count) => countText(count, 'informe', 'informes'),
      imageStudies: (count) => countText(count, 'estudio con imágenes', 'estudios con imágenes'),
      auditEntries: (count) =>
        countText(count, 'entrada del registro de auditoría', 'entradas del registro de auditoría'),
    },
    countOther: (table, count) => `${table}: ${count}`,
    changes: 'Todo lo demás que se cambió desde entonces también vuelve a estar como antes.',
    nothing:
      'Por los números no se pierde nada; lo que se cambió desde entonces vuelve a estar como antes.',
    keepsTitle: 'Qué ocurre',
    keeps: [
      'La base de datos de ahora no se borra: se guarda aparte en la carpeta de datos.',
      'Las imágenes siguen en el disco. Las que llegaron después de la copia se recuperan de allí.',
      'La pasarela se inicia de nuevo: durante unos segundos los dispositivos no reciben lista de trabajo ni envían imágenes.',
      'Quien inició sesión después de la copia la inicia de nuevo.',
    ],
    key: [
      'Clave de recuperación',
      'Esta copia es de otra clave de datos. Está en la hoja, ocho grupos.',
    ],
    password: ['Su contraseña', 'Solo un propietario puede restaurar una copia.'],
    notOwner: 'Solo un propietario puede restaurar una copia. Pídaselo a uno de ellos.',
    action: 'Restaurarla',
    cancel: 'Dejar todo como está',
  },

  progress: {
    title: 'Se está restaurando una copia',
    phases: {
      none: 'La pasarela se inicia de nuevo',
      decrypting: 'Se abre la copia',
      checking: 'Se comprueba: se cuenta y se compara',
      ready: 'Lista. La pasarela se inicia de nuevo con ella',
      failed: 'No se ha restaurado',
    },
    away: 'La pasarela se inicia de nuevo con la copia',
    awayText: 'Esta ventana vuelve por sí sola en unos segundos.',
    unchanged: 'No se ha cambiado nada: la pasarela sigue con la base de datos que tiene.',
    stay: 'Deje esta ventana abierta.',
    close: 'Cerrar',
    restart: 'Reiniciar la pasarela',
  },

  support: {
    button: 'Para soporte…',
    title: 'Un paquete para soporte',
    about:
      'Lo que necesita quien ayuda desde fuera. No se envía nada: se lee aquí, se guarda como un archivo ZIP y lo entrega usted. Los pacientes, contraseñas, claves, nombres y direcciones se omiten o se ocultan.',
    files: 'Archivos del paquete',
    cut: 'Solo se muestra el principio; el archivo lo tiene todo.',
    save: 'Guardar como ZIP',
    noted: 'El registro de auditoría anota que usted lo guardó.',
    close: 'Cerrar',
  },
}
