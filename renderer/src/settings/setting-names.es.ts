import type { Translated } from '../i18n/words.ts'
import type { English } from './setting-names.en.ts'

export const es: Translated<English> = {
  groups: {
    clinic: { title: 'Centro', about: 'Quién es este centro y qué significa «hoy» aquí.' },
    worklist: {
      title: 'Lista de trabajo',
      about:
        'Cuánto se espera una respuesta, se reutiliza y se conserva para un corte, y qué días se piden.',
    },
    dimse: {
      title: 'Equipos (DICOM)',
      about: 'Dónde encuentran los equipos esta pasarela y cuánta paciencia tiene con ellos.',
    },
    intake: {
      title: 'Imágenes',
      about:
        'Qué ocurre con las imágenes al llegar y cuánto espacio del disco queda libre. Las imágenes que están aquí nunca se borran para hacer sitio.',
    },
    commitment: {
      title: 'Confirmación de almacenamiento',
      about:
        'Algunos equipos borran sus imágenes cuando otro sistema confirma que las conserva (storage commitment).',
    },
    forwarding: {
      title: 'Reenvío',
      about: 'Cuánto tiempo se intenta enviar imágenes a un destino que no las acepta.',
    },
    reports: {
      title: 'Informes',
      about:
        'Cómo se ve un informe firmado, dónde se conserva y cuánto tiempo queda ocupado por quien lo redacta.',
    },
    partner: {
      title: 'Sistema asociado',
      about:
        'A qué se puede llamar además de https en direcciones públicas, y cómo se cambian los secretos.',
    },
    events: {
      title: 'Eventos',
      about:
        'Cuánto tiempo se puede consultar lo que se envió al sistema asociado y lo que respondió. Las respuestas pueden contener datos de pacientes.',
    },
    http: {
      title: 'Ventana e interfaz (HTTP)',
      about: 'Dónde se encuentran esta ventana y la interfaz para sistemas asociados.',
    },
    https: {
      title: 'Acceso desde otros PC (HTTPS)',
      about:
        'Dónde encuentran otros PC del centro esta ventana y la interfaz. «Acceso desde otros PC» lo abre, muestra sus direcciones y aprueba los PC.',
    },
    window: {
      title: 'Inicio de sesión',
      about: 'Cuándo se bloquea una ventana y cuándo hay que iniciar sesión de nuevo.',
    },
    mail: {
      title: 'Correo',
      about:
        'El servidor que envía las invitaciones. La pantalla Personas lo configura junto con su contraseña y lo prueba.',
    },
    viewer: {
      title: 'Visor',
      about:
        'Cuánto dura un enlace al visor, cuánto quedan abiertas las imágenes y cuánto espacio pueden ocupar las del sistema asociado.',
    },
    audit: {
      title: 'Colector de auditoría',
      about:
        'Adónde se envía el registro de auditoría a medida que se escribe: syslog por TLS con mensajes de auditoría DICOM. Lo que se recoge allí revela un registro modificado en este PC.',
    },
    activity: {
      title: 'Conexiones de los equipos',
      about: 'Cuánto tiempo se puede consultar qué equipo se conectó, cuándo y con qué resultado.',
    },
    backup: {
      title: 'Copias de seguridad',
      about:
        'Dónde se escriben copias de los datos de esta pasarela, cuándo y cuánto se conservan. La pantalla «Copias de seguridad» las muestra y restaura una.',
    },
    update: {
      title: 'Actualizaciones',
      about:
        'Si la aplicación de escritorio instala actualizaciones por sí sola, y cuándo. Una pasarela que funciona como servicio la actualizan sus paquetes.',
    },
    setup: { title: 'Asistente inicial', about: 'Recorre lo que necesita una pasarela nueva.' },
    inspector: {
      title: 'Inspector de consultas',
      about: 'Cuánto tiempo se pueden examinar las consultas. Contienen datos de pacientes.',
    },
  },
  labels: {
    'clinic.id': 'Identificador del centro',
    'clinic.name': 'Nombre del centro',
    'clinic.timeZone': 'Zona horaria',
    'dimse.host': 'Dirección de escucha',
    'dimse.port': 'Puerto TCP',
    'dimse.aeTitle': 'AE title de esta pasarela',
    'dimse.calledAePolicy': 'AE title llamado incorrecto',
    'dimse.allowUnknownDevices': 'Atender a equipos desconocidos',
    'dimse.maxAssociations': 'Asociaciones, todos los equipos',
    'dimse.maxAssociationsPerDevice': 'Asociaciones, un equipo',
    'dimse.artimSeconds': 'Tiempo para abrir una asociación (s)',
    'dimse.idleSeconds': 'Silencio antes de cortar (s)',
    'dimse.tlsPort': 'Puerto TCP para TLS',
    'dimse.tlsAuthorities': 'Autoridades de los certificados de equipos (PEM)',
    'http.host': 'Dirección de escucha',
    'http.port': 'Puerto TCP',
    'http.publicUrl': 'Dirección pública (URL)',
    'http.allowedHosts': 'Otros nombres de host',
    'http.ratePerSecond': 'Llamadas por segundo, por clave de API',
    'http.rateBurst': 'Llamadas de una vez, por clave de API',
    'https.isOn': 'Abierto a otros PC',
    'https.host': 'Dirección de escucha',
    'https.port': 'Puerto TCP',
    'window.lockMinutes': 'Bloquear una ventana sin uso después de (min)',
    'window.sessionHours': 'Iniciar sesión de nuevo después de (h)',
    'setup.isDone': 'El asistente está terminado',
    'backup.folder': 'Carpeta de las copias',
    'backup.dailyAt': 'Cada día a las',
    'backup.everyMinutes': 'Para una réplica, cada (min)',
    'backup.keepDaily': 'Conservar la última de (días)',
    'backup.keepWeekly': 'Conservar la última de (semanas)',
    'backup.keepMonthly': 'Conservar la última de (meses)',
    'update.isAutomatic': 'Instalar actualizaciones por sí sola',
    'update.at': 'Hora de mantenimiento desde las',
    'audit.collectorHost': 'Servidor',
    'audit.collectorPort': 'Puerto TCP',
    'audit.collectorAuthorities': 'Certificados de sus autoridades (PEM)',
    'audit.collectorIdentity': 'Mostrar el certificado de la pasarela',
    'activity.retentionDays': 'Conservar las conexiones durante (días)',
    'mail.host': 'Servidor SMTP',
    'mail.port': 'Puerto TCP',
    'mail.security': 'Seguridad de la conexión',
    'mail.user': 'Nombre de usuario',
    'mail.from': 'Remitente',
    'mail.certificate': 'Certificado (PEM)',
    'reports.paper': 'Papel',
    'reports.letterhead': 'Membrete',
    'reports.archiveCopies': 'Conservar los informes como objetos DICOM',
    'reports.destinationId': 'Reenviar los informes a',
    'reports.lockSeconds': 'Un informe queda ocupado durante (s)',
    'partner.secretOverlapHours': 'Un secreto antiguo sigue firmando durante (h)',
    'events.retentionDays': 'Conservar los eventos durante (días)',
    'partner.plaintextHosts': 'Hosts accesibles por http sin cifrar o en red privada',
    'worklist.freshSeconds': 'Reutilizar una respuesta durante (s)',
    'worklist.budgetSeconds': 'Esperar al sistema asociado (s)',
    'worklist.storedMinutes': 'Servir la última respuesta válida durante (min)',
    'worklist.downtimeHours': 'En modo de contingencia, servirla durante (h)',
    'worklist.daysBack': 'Días hacia atrás',
    'worklist.daysForward': 'Días hacia delante',
    'worklist.maxRows': 'Máximo de exámenes por respuesta',
    'worklist.closeOnImages': 'Las imágenes retiran el examen de la lista',
    'intake.areas': 'Los estudios aparecen por sí solos en',
    'intake.idleSeconds': 'Silencio para dar un estudio por completo (s)',
    'intake.capMinutes': 'Un estudio aparece como muy tarde después de (min)',
    'intake.stepsOfOthers': 'Pasos realizados de otros equipos',
    'intake.acceptUnknownClasses': 'Conservar objetos de tipo desconocido',
    'intake.warnGigabytes': 'Avisar con menos espacio libre que (GB)',
    'intake.stopGigabytes': 'No aceptar imágenes con menos de (GB)',
    'commitment.isOn': 'Confirmar el almacenamiento',
    'forwarding.giveUpHours': 'Reintentar durante (h)',
    'viewer.linkMinutes': 'Los enlaces sirven durante (min)',
    'viewer.sessionHours': 'Las imágenes quedan abiertas durante (h)',
    'viewer.idleMinutes': 'Sin uso, se cierran después de (min)',
    'viewer.cacheGigabytes': 'Espacio para imágenes del sistema asociado (GB)',
    'inspector.retentionHours': 'Conservar las consultas durante (h)',
  },
  options: {
    warn: 'Anotarlo y continuar',
    strict: 'Rechazar el equipo',
    scribe: 'Informes (scribe)',
    viewer: 'Visor',
  },
}
