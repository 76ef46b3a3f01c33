import { countText } from '../display/amounts.ts'
import type { Translated } from '../i18n/words.ts'
import type { English } from './words.en.ts'

const MANAGERS =
  'Esto lo hacen los propietarios y administradores de esta pasarela. Pídalo a uno de ellos.'

export const es: Translated<English> = {
  undo: 'Deshacer',
  undoKeys: 'Deshacer (Alt+Z)',
  cutOff: 'La pasarela no responde. No se puede cambiar nada hasta que responda.',
  mayNot: {
    manageGateway: MANAGERS,
    manageUsers: MANAGERS,
    manageCustomers: MANAGERS,
    manageStudies:
      'Su cuenta puede ver los estudios, pero no cambiarlos. Un propietario o administrador puede permitirlo en la pantalla Personas.',
    readStudies:
      'Su cuenta no tiene acceso a la ventana. Un propietario o administrador puede permitirlo en la pantalla Personas.',
    writeReports:
      'Su cuenta puede leer informes, pero no redactarlos. Un propietario o administrador puede permitirlo en la pantalla Personas.',
  },
  loading: 'Cargando',
  failed: 'No se pudo hacer',
  failures: {
    'not-permitted': 'Su cuenta no tiene acceso a esto',
    unreachable: 'Sin respuesta',
    'too-many': 'Demasiado seguido',
    'not-found': 'Esto ya no existe',
  },
  askManager: 'Pídalo a un propietario o administrador de esta pasarela.',
  again: 'Intentar de nuevo',
  request: (id) => `Solicitud ${id}`,
  cancel: 'Cancelar',
  close: 'Cerrar',
  showPassword: 'Mostrar u ocultar la contraseña',
  keep: 'Conservar',
  reasonNeeded: 'Escriba el motivo',
  copied: 'Copiado',
  copy: (what) => `Copiar ${what}`,
  never: 'nunca',
  noName: '(sin nombre)',
  noDate: '(sin fecha)',
  echo: {
    answers: (took) => `Responde (${took})`,
    silent: 'No responde',
  },
  identity: {
    states: {
      matched: [
        'Identidad comprobada',
        'Las imágenes nombran al paciente y la exploración de la lista de trabajo o del estudio.',
      ],
      unverified: [
        'Identidad sin verificar',
        'No hay entrada de la lista de trabajo ni estudio de un sistema externo con que comparar las imágenes.',
      ],
      mismatch: [
        'Discrepancia',
        'Las imágenes nombran a otro paciente u otra exploración. No se firma ningún informe hasta que se resuelva o se anule.',
      ],
      overridden: [
        'Discrepancia anulada',
        'Las imágenes nombran a otro paciente u otra exploración. Una persona que puede firmar dio un motivo para continuar.',
      ],
      resolved: [
        'Identidad corregida',
        'Las imágenes nombraban a otro paciente u otra exploración y se corrigieron. Los originales se conservan.',
      ],
    },
    unscheduled: [
      'No programada: sin petición',
      'Las imágenes se hicieron sin petición: no hay entrada de la lista de trabajo ni estudio de un sistema externo con que compararlas.',
    ],
    sources: {
      worklist: {
        title: 'Comparación con la lista de trabajo',
        expected: 'Lista de trabajo',
        received: 'Imágenes',
      },
      'worklist-and-study': {
        title: 'Comparación con la lista de trabajo y el estudio',
        expected: 'Lista de trabajo y estudio',
        received: 'Imágenes',
      },
      study: { title: 'Comparación con el estudio', expected: 'Estudio', received: 'Imágenes' },
      version: {
        title: 'Comparación con una versión de las imágenes en cuarentena',
        expected: 'En cuarentena',
        received: 'Mostrada',
      },
      images: {
        title: 'Comparación entre las imágenes',
        expected: 'Primeras imágenes',
        received: 'Otras imágenes',
      },
    },
    resolve: 'Resolver',
    field: 'Campo',
    missing: '(vacío)',
  },
  forwards: {
    none: 'nada que enviar',
    failed: {
      name: 'sin enviar',
      meaning:
        'Rechazadas, o intentadas durante todo el tiempo que permiten los ajustes. Decide una persona: intentarlo de nuevo o desistir.',
    },
    waiting: { name: 'en espera', meaning: 'Pendientes de envío, o de un nuevo intento.' },
    sent: { name: 'enviadas', meaning: 'El otro lado confirmó que las tiene.' },
    dropped: {
      name: 'descartadas',
      meaning:
        'No se enviarán: así lo decidió una persona, se apartaron, o las sustituyeron versiones más recientes. Cada imagen indica el motivo.',
    },
  },
  closeStep: {
    title: '¿Marcar este paso como realizado?',
    about:
      'Mientras no se pueda contactar con el socio, los dispositivos reciben su última lista válida. Este paso se dejará fuera de ella. El socio no recibe aviso, y su próxima lista en vivo vuelve a contar.',
    reason: 'Motivo',
    reasonAbout: 'Puede quedar vacío.',
    reasonExample: 'p. ej. realizado, el paciente no acudió',
    submit: 'Marcar como realizado',
    undo: 'Deshacer',
  },
  stations: {
    label: 'Qué ocurrió, paso a paso',
    passed: 'correcto',
    remark: 'con una observación',
    stop: 'se detuvo aquí',
    skipped: 'no se alcanzó',
  },
  verdicts: {
    label: 'Exploraciones y qué ocurrió con ellas',
    sent: { name: 'Enviada', meaning: 'El dispositivo recibió esta exploración.' },
    filtered: {
      name: 'Filtrada',
      meaning: 'La exploración no coincide con lo que pidió el dispositivo.',
    },
    withheld: {
      name: 'Retenida',
      meaning: 'La exploración no se puede enviar con seguridad; el motivo lo explica.',
    },
    cut: {
      name: 'Cortada',
      meaning: 'La lista era más larga de lo que se puede enviar en una consulta.',
    },
    columns: {
      verdict: 'Resultado',
      start: 'Inicio',
      patient: 'Paciente',
      patientId: 'ID del paciente',
      accession: 'N.º de acceso',
      exam: 'Exploración',
      why: 'Motivo, observaciones',
      step: 'Paso',
    },
    end: (shown, total) =>
      `Se muestran las primeras ${shown} de ${countText(total, 'exploración', 'exploraciones')}.`,
  },
  inspection: {
    exams: 'Exploraciones',
    which: 'Qué exploraciones',
    all: 'Todas',
    noneText: 'El motivo se indica arriba.',
    noneOf: {
      all: 'No hay exploraciones en esta respuesta',
      sent: 'No se envió ninguna exploración',
      filtered: 'No se filtró ninguna exploración',
      withheld: 'No se retuvo ninguna exploración',
    },
    noneOfText: 'Elija «Todas» para ver cada exploración de la respuesta del socio.',
    query: 'La consulta tal como se recibió',
    keys: (count) => countText(count, 'clave', 'claves'),
    noKey: 'La consulta no tenía claves',
    keysLabel: 'Claves de la consulta',
    key: 'Clave',
    tag: 'Etiqueta',
    vr: 'VR',
    value: 'Valor',
    matching: 'Coincidencia',
    matchings: {
      singleValue: 'debe ser igual',
      listOfUid: 'uno de varios',
      universal: 'cualquier valor; se pide que se devuelva',
      wildCard: 'patrón con * o ?',
      range: 'de … a',
      sequence: 'grupo de claves',
      ignored: 'no se usa para comparar',
    },
    detail: 'En detalle',
    connection: 'Conexión',
    from: 'De',
    at: (name, address) => `${name} en ${address}`,
    called: 'AE title llamado',
    atInstant: 'Hora',
    took: 'Duración',
    again: 'Preguntado de nuevo',
    againTimes: (times) => (times === 1 ? 'una vez, a las ' : `${times} veces, la última a las `),
    syntax: 'Sintaxis de transferencia',
    asked: 'Qué se preguntó al socio',
    wouldBeAsked: 'Qué se habría preguntado al socio',
    nothing: 'Nada.',
    days: 'Días',
    modality: 'Modalidad',
    allModalities: 'todas',
    as: 'Como',
    clinic: 'Clínica',
    answered: 'Qué respondió',
    notCalled: 'No se le llamó para esta consulta.',
    noAnswer: 'sin respuesta',
    notCalledShort: 'no se llamó',
    httpStatus: 'Estado HTTP',
    noStatus: 'ninguno',
    size: 'Tamaño',
    webhookId: 'Id. del webhook',
    webhookIdName: 'id. del webhook',
    detailOf: 'Detalle',
  },
}
