/**
 * Sentences that the programs say in English and that come in a finite number of forms, each as its source writes it:
 * `{}` for words and `{#}` for a number put in; in Chinese these stand as {0}, {1} …, themselves translated where known.
 * Texts of the operating system or of another program are such words: they stay as they are. A test holds every
 * sentence here against the sources.
 */
export const sentences: readonly (readonly [english: string, chinese: string])[] = [
  // why a rating trains nothing
  ['session aborted', '会话已中止'],
  ['the session was aborted: nothing of it is trained', '会话已中止，其内容不会用于训练'],
  ['not rated', '没有评分'],
  ['a retry of the same request replaced this answer', '同一请求的重试已取代这个回答'],
  ['the answer never finished', '回答没有结束'],
  ['the answer is empty', '回答是空的'],
  ['its evidence is not sound: {}', '采样记录不可靠：{0}'],
  [
    'sampled with top-p, top-k, penalties or similar: its probabilities are not those of the model',
    '采样时用了 top-p、top-k、惩罚项等，其概率不是模型本身的概率',
  ],
  ['sampled at temperature 0: there is no probability to learn from', '以温度 0 采样，没有可供学习的概率'],
  ['{}; the rating still counts for earlier turns', '{0}；该评分对之前的轮次仍然有效'],
  ['too stale: sampled by {}, now v{#}, limit {#}', '过于陈旧：由 {0} 采样，现为 v{1}，上限 {2}'],
  ['v{#} to v{#}', 'v{0} 至 v{1}'],
  [
    'too stale: its answer was too many versions old when its batch was trained',
    '过于陈旧：批次训练时，回答已落后太多版本',
  ],
  [
    'too stale: the weights had moved too far from those that gave this answer',
    '过于陈旧：权重已远离给出这个回答时的权重',
  ],
  [
    'too stale: batch {#} came from weights too far from the current ones',
    '过于陈旧：批次 {0} 来自与当前相差太远的权重',
  ],
  [
    'the trainer does not agree with the engine about the probabilities of this answer; check that both use the same weights and template',
    '训练器与推理引擎算出的概率不一致；请检查两者的权重和模板是否相同',
  ],
  ['not drawn by plain sampling, so no training step describes it', '不是由普通采样得到，没有训练步骤能描述它'],
  ['the probabilities that came with this answer are not numbers', '随回答而来的概率不是有效的数'],
  ['this answer has no sampled token', '回答中没有采样得到的 token'],
  [
    'no signal: batch {#} had equal rewards throughout, so there was nothing to prefer',
    '没有信号：批次 {0} 的奖励全部相同，无从取舍',
  ],
  ['batch {#} was skipped by the trainer', '训练器跳过了批次 {0}'],
  [
    'batch {#} made the trainer fail {#} times and was set aside; nothing of it was trained ({})',
    '批次 {0} 使训练器失败了 {1} 次，已被搁置；其中没有内容被训练（{2}）',
  ],
  [
    'the trainer ended {#} times on batch {#}, {#} of them by a signal from outside (a kill, or too little memory), and it was set aside; nothing of it was trained ({})',
    '训练器在批次 {1} 上结束了 {0} 次，其中 {2} 次由外部信号引起（被终止，或内存不足）；该批次已被搁置，其中没有内容被训练（{3}）',
  ],
  ['a trainer outside took the session at {}', '外部训练器已于 {0} 取走该会话'],

  // why an answer's evidence is not sound
  ['Nothing was sampled.', '没有采样到任何 token。'],
  [
    '{#} token ids, {#} log-probs and {#} versions do not belong together.',
    '{0} 个 token id、{1} 个 logprob 和 {2} 个版本互不对应。',
  ],
  ['Token {} is not in the vocabulary of {#} tokens.', 'Token {0} 不在 {1} 个 token 的词表中。'],
  [
    'Token {#} has the log-prob {}, which no sampled token can have.',
    '第 {0} 个 token 的 logprob 为 {1}，采样得到的 token 不可能如此。',
  ],
  [
    'Token {#} is said to come from weight version {}; known are 0 to {#}.',
    '第 {0} 个 token 自称来自权重版本 {1}，而已知的只有 0 到 {2}。',
  ],
  [
    'The answer is said to end with the stop string {}, which its tokens do not spell.',
    '回答自称以停止串 {0} 结束，但其 token 并未拼出它。',
  ],
  ['The sampled tokens do not spell the text that was sent.', '采样得到的 token 与发出的文本不符。'],

  // why an answer failed
  ['the gateway stopped while this was running', '网关在回答途中停止了'],
  ['The engine ended its answer without saying why.', '推理引擎中断了回答，没有说明原因。'],
  [
    'The answer was stopped before its first token; there is nothing to rate.',
    '回答在第一个 token 之前就被停止，没有可评审的内容。',
  ],
  [
    'The engine was interrupted in the middle of an answer that has to match a schema. Ask again.',
    '回答须符合指定的 schema，而推理引擎中途中断。请再问一次。',
  ],
  ['The engine refused: {}', '推理引擎拒绝了请求：{0}'],
  [
    'No inference engine answered within {#} s.{} See the Training screen for its log, then try again.',
    '推理引擎在 {0} 秒内没有回应。{1}请在训练页查看其日志，然后重试。',
  ],
  [' Last trouble: {}.', '最近的问题：“{0}”。'],
  ['The gateway is closing. Try again when it is back.', '网关正在关闭，请在它恢复后重试。'],

  // what the engine is doing
  ['waiting for an inference engine', '正在等待推理引擎'],
  [
    "The engine says its weight version is '{}'. Start it with --weight-version and a number.",
    '推理引擎自报的权重版本是“{0}”。请用 --weight-version 加一个数字启动它。',
  ],

  // how a child process ended
  ['The trainer was ended by {}.', '训练器被 {0} 结束。'],
  ['The trainer ended with exit code {#}{}.', '训练器已退出，退出码 {0}{1}。'],
  [': {}', '：{0}'],
  ['its run settings are not valid; change them in Settings', '训练设置无效，请在设置中更改'],
  ['its libraries could not be loaded', '所需的库无法加载'],
  ['the model could not be loaded; check the model folder', '模型无法加载，请检查模型文件夹'],
  ['there was not enough memory; choose a smaller batch', '内存不足，请选用更小的批次'],
  ['training diverged; lower the learning rate', '训练发散，请降低学习率'],
  ['it could not write to the disk; free some space', '无法写入磁盘，请腾出空间'],
  ['its files are of another schema', '其文件属于另一种 schema'],
  ['its checkpoints are damaged', '其检查点已损坏'],
  ['it was asked to stop and saved its state', '应要求停止，状态已保存'],
  ['The engine was ended by {}.', '推理引擎被 {0} 结束。'],
  ['The engine ended with exit code {}.', '推理引擎已退出，退出码 {0}。'],
  ['The engine ended: {}.', '推理引擎已结束：{0}。'],
  ['engine', '推理引擎'],
  ['trainer', '训练器'],
  ['exit code {}', '退出码 {0}'],
  ['signal {}', '信号 {0}'],
  ['{} was not ready after {#} s.', '{0}在 {1} 秒后仍未就绪。'],
  ['Starting it again in {#} s.', '{0} 秒后重新启动。'],
  ['Given up after {#} restarts.', '重启 {0} 次后放弃。'],

  // trouble, and what to do about it
  ['The inference engine does not answer as it should.', '推理引擎的回应不正常。'],
  [
    'Restart the engine on the Training screen. Ratings are safe; nothing is lost meanwhile.',
    '请在训练页重启推理引擎。评分是安全的，期间不会丢失任何内容。',
  ],
  [
    'Version {#} could not be put into service: {}. The version before it still answers.',
    '版本 {0} 未能上线（{1}），仍由上一个版本回答。',
  ],
  [
    'Restart the engine on the Training screen to try once more; the ratings are trained and safe.',
    '请在训练页重启推理引擎再试一次；这些评分已经训练，是安全的。',
  ],
  ['It is tried again in {#} s.', '{0} 秒后再试。'],
  ['{#} {} set aside: {}.', '{0} 个评分被搁置：{2}。'],
  [
    'Nothing of it was trained and nothing is lost: try it again, or leave it, on the Training screen.',
    '其中没有内容被训练，也没有丢失任何内容：请在训练页重试，或放弃它。',
  ],
  ['The run folder cannot be used: {}.', '运行文件夹无法使用：{0}。'],
  [
    'Free some space or restore access; ratings are safe and training goes on by itself.',
    '请腾出空间或恢复访问权限；评分是安全的，训练会自动继续。',
  ],
  ['{} in the run folder is damaged: {}.', '运行文件夹中的 {0} 已损坏：{1}。'],
  [
    'Restore the file, or choose a new trial name in Settings to start a fresh run.',
    '请恢复该文件，或在设置中换一个试验名称，从头开始。',
  ],
  ['run.json is missing from a run folder that has already trained.', '运行文件夹已经训练过，却缺少 run.json。'],
  [
    'Put the file back, or choose a new trial name in Settings to start a fresh run. Ratings are kept.',
    '请放回该文件，或在设置中换一个试验名称，从头开始。评分会保留。',
  ],
  ['run.json is damaged: {}.', 'run.json 已损坏：{0}。'],
  [
    'The model that this run trains is gone from {}, and {} holds another one.',
    '本次运行所训练的模型已不在 {0}，而 {1} 中是另一个模型。',
  ],
  [
    'Put the model back there and restart, or choose a new trial name in Settings to start a fresh run. Ratings are kept.',
    '请把模型放回原处并重新启动，或在设置中换一个试验名称，从头开始。评分会保留。',
  ],
  [
    'The trainer has finished a batch {#} that is not the one formed here.',
    '训练器完成的批次 {0} 不是在这里组成的那一个。',
  ],
  [
    'The trainer has finished batch {#}, but the newest one in the database is {#}: the database is older than the run folder.',
    '训练器已完成批次 {0}，而数据库中最新的是 {1}：数据库比运行文件夹旧。',
  ],
  [
    'The run folder says that batch {#} was the last one trained, but batch {#} already was: HEAD.json is missing or older than the database. While its spool folders are there, the trainer repeats those batches by itself.',
    '运行文件夹说最后训练的是批次 {0}，而批次 {1} 已经训练：HEAD.json 缺失，或比数据库旧。只要 spool 文件夹还在，训练器会自动重做这些批次。',
  ],
  [
    '{} No batch is formed meanwhile, so that no rating is trained twice.',
    '{0}在此期间不组成批次，以免评分被训练两次。',
  ],
  [
    'Put back the folder of this trial as a whole, database and run files of one moment, or choose a new trial name in Settings. Ratings are kept.',
    '请把本试验的文件夹整体放回（数据库与运行文件须属同一时刻），或在设置中换一个试验名称。评分会保留。',
  ],
  ['The trainer tries again by itself. Ratings are safe meanwhile.', '训练器会自动重试，期间评分是安全的。'],
  [
    'See the trainer’s log on the Training screen, then restart it there. Ratings are safe.',
    '请在训练页查看训练器的日志，然后在那里重启它。评分是安全的。',
  ],
  [
    'The run directory cannot be written: {}. Free some space or fix its permissions.',
    '运行文件夹无法写入（{0}）。请腾出空间或更正其权限。',
  ],
  [
    'Out of memory while training: {}. Shorter answers or a smaller batch need less.',
    '训练时内存不足（{0}）。更短的回答或更小的批次需要的内存更少。',
  ],
  [
    '{} is damaged, so what was trained is unknown; restore it from a backup',
    '{0} 已损坏，无法得知训练过什么；请从备份恢复',
  ],
  ['{} has schema {}, this trainer speaks {}', '{0} 的 schema 为 {1}，而训练器使用 {2}'],
  [
    'The gradient broke three times in a row (norm {}); lower the learning rate',
    '梯度连续三次失效（范数 {0}），请降低学习率',
  ],
  [
    'The run directory is in use by process {#} since {}; stop that trainer first',
    '进程 {0} 自 {1} 起正在使用运行文件夹，请先停止那个训练器',
  ],
  ['The model cannot be loaded: {}', '模型无法加载：{0}'],
  [
    'The tensor library cannot start: this processor or system lacks WebAssembly SIMD',
    '张量库无法启动：此处理器或系统不支持 WebAssembly SIMD',
  ],
  ['The training state cannot be restored: {}', '训练状态无法恢复：{0}'],
  [
    'Batch {#} was trained with sha256 {}; another one of the same number is refused',
    '批次 {0} 训练时的 sha256 为 {1}；同号的另一批次已被拒绝',
  ],
  ['The trajectory dump cannot be written to {}: {}.', '轨迹 dump 无法写入 {0}：{1}。'],
  [
    'Free some space or restore access. Ratings and training are not affected; the dump is completed by itself.',
    '请腾出空间或恢复访问权限。评分和训练不受影响，dump 会自动补齐。',
  ],

  // the database
  [
    'The database was damaged. Saved were {#} sessions, {#} answers and {#} ratings. {}{}{}',
    '数据库曾经损坏。已救回 {0} 个会话、{1} 个回答和 {2} 个评分。{5}',
  ],
  ['Every row could be read.', '所有行都可读取。'],
  ['Parts of these tables could not be read: {}.', '这些表有一部分无法读取：{0}。'],
  [
    '{#} ratings are left out of training, because nobody can tell whether they were trained before.',
    '{0} 个评分不再用于训练，因为无法得知它们是否已经训练过。',
  ],
  [
    'Of {#} lost sessions the answers and ratings were kept; they are listed under the task "recovered".',
    '{0} 个丢失的会话保住了回答和评分，列在任务“recovered”之下。',
  ],
  [
    'The damaged file is kept as {}. If you have a newer backup, stop, put it in place of the database, and start again. Check the disk.',
    '损坏的文件保留为 {0}。如有更新的备份，请先停止，用它替换数据库，再重新启动。请检查磁盘。',
  ],
  ['The database {} is in use by another gateway.', '数据库 {0} 正被另一个网关使用。'],
  ['The disk that holds {} is full; nothing was saved.', '{0} 所在的磁盘已满，没有保存任何内容。'],
  ['The database {} cannot be written.', '数据库 {0} 无法写入。'],
  ['The database {} is damaged: {}.', '数据库 {0} 已损坏：{1}。'],
  ['The database {} refused: {}.', '数据库 {0} 拒绝了操作：{1}。'],
  [
    'The database {} has schema {#}; this program knows schemas up to {#}.',
    '数据库 {0} 的 schema 为 {1}；此程序只认识到 {2}。',
  ],
  ['The disk that holds {} refused to store what was written: {}.', '{0} 所在的磁盘拒绝保存写入的内容：{1}。'],
  [
    'Check the disk, then start again; everything that was answered with success before is safe.',
    '请检查磁盘，然后重新启动；此前已确认成功的内容都是安全的。',
  ],
  [
    'Close the other studio or gateway that uses this data folder, or start this one with another data folder.',
    '请关闭正在使用此数据文件夹的另一个 Plaudit 或网关，或换一个数据文件夹启动。',
  ],
  [
    'Free some space and try again; everything that was answered with success before is safe.',
    '请腾出空间后重试；此前已确认成功的内容都是安全的。',
  ],
  [
    'Check the owner and permissions of the file and its folder, and that the volume is not mounted read-only.',
    '请检查文件及其文件夹的所有者和权限，以及该卷是否以只读方式挂载。',
  ],
  [
    'Copy {} and the files beside it that start with the same name to a safe place first. Then put back a backup, or salvage the rows with "sqlite3 {} .recover".',
    '请先把 {0} 及旁边同名开头的文件复制到安全的地方，再放回备份，或用“sqlite3 {1} .recover”抢救各行。',
  ],
  [
    'Start the version of the studio that wrote it, or a later one.',
    '请启动写入它的那个版本的 Plaudit，或更新的版本。',
  ],
  [
    'Nothing was changed and everything stored before is safe. This is a fault of the program, not of the disk: try again, and report the sentence before this one if it comes back.',
    '没有任何改动，此前保存的内容都是安全的。这是程序的错误，与磁盘无关：请重试；若再次出现，请报告上一句话。',
  ],
  ['Check that the folder exists and that this user may write to it.', '请检查文件夹是否存在，以及当前用户能否写入。'],

  // of the studio around the gateway
  ['Version {#} cannot be served: {}.', '版本 {0} 无法提供服务：{1}。'],
  ['Restore the folder from a backup.', '请从备份恢复该文件夹。'],
  ['Version {#} answers instead.', '改由版本 {0} 回答。'],
  [
    'Ratings are safe. Restart the engine on the Training screen, or look at its log there.',
    '评分是安全的。请在训练页重启推理引擎，或在那里查看其日志。',
  ],
  [
    'Rated answers wait until it runs. Restart the trainer on the Training screen, or look at its log there.',
    '已评审的回答会等到它运行。请在训练页重启训练器，或在那里查看其日志。',
  ],
  ['The settings file cannot be read; the defaults are in effect.', '设置文件无法读取，已使用默认设置。'],
  ['These settings are not valid and were reset: {}.', '这些设置无效，已重置：{0}。'],
  ['The file as it was is kept as {}.bad.', '原文件保留为 {0}.bad。'],
  ['Port {} on {} is already in use.', '{1} 的端口 {0} 已被占用。'],
  [
    'Close the program that uses it, choose another port in the settings, or use port 0 to let the system pick a free one.',
    '请关闭占用它的程序，或在设置中换一个端口，或用端口 0 让系统挑选空闲端口。',
  ],
  ['Listening on port {} of {} is not permitted.', '不允许监听 {1} 的端口 {0}。'],
  ['Choose a port from 1024 to 65535.', '请选择 1024 到 65535 之间的端口。'],
  ['This machine has no address {}.', '本机没有地址 {0}。'],
  ['Use 127.0.0.1, or an address that this machine really has.', '请使用 127.0.0.1，或本机确有的地址。'],
  ['Listening on {}:{} failed: {}.', '监听 {0}:{1} 失败：{2}。'],
  ['Try another port.', '请换一个端口。'],
  ['The admin key {} cannot be read: {}.', '管理员密钥 {0} 无法读取：{1}。'],
  [
    'Move away what is in its place, or make it readable for this user.',
    '请移走占据其位置的内容，或使当前用户能够读取它。',
  ],
  ['Check the files of the model folder.', '请检查模型文件夹中的文件。'],
  ['Change this setting.', '请更改此设置。'],
  [
    'Restart Plaudit; if it happens again, the log in the data folder says more.',
    '请重新启动 Plaudit；若再次发生，数据文件夹中的日志有更多说明。',
  ],

  // why a dump is not opened, and what is wrong with a line
  ['{} does not exist.', '{0} 不存在。'],
  [
    '{} may not be read. Change its permissions, or copy it somewhere you may read.',
    '没有读取 {0} 的权限。请更改其权限，或把它复制到可读的地方。',
  ],
  ['{} is neither a file nor a folder.', '{0} 既不是文件也不是文件夹。'],
  [
    '{} holds no .jsonl file. Choose the folder of an experiment, a trial or a rollout.',
    '{0} 中没有 .jsonl 文件。请选择实验、试验或 rollout 的文件夹。',
  ],
  ['{} is empty.', '{0} 是空的。'],
  ['{} is a binary file, not a JSONL dump.', '{0} 是二进制文件，不是 JSONL dump。'],
  ['{} is not a rollout dump. {}', '{0} 不是 rollout dump。{1}'],
  ['Not a trajectory record: an object was expected.', '不是轨迹记录：应为一个对象。'],
  ['Not a trajectory record: {}: nested more than {#} levels deep.', '不是轨迹记录：{0}：嵌套超过 {1} 层。'],
  ['Not a trajectory record: {}: {}.', '不是轨迹记录：{0}：{1}。'],
  ['Not JSON: {}', '不是 JSON：{0}'],
  ['The line is gone.', '该行已不存在。'],
  [
    'The line is {#} bytes long; at most {#} are read. Leave its longest fields out, or look at it outside of this program.',
    '该行长 {0} 字节，最多读取 {1} 字节。请去掉其中最长的字段，或用其他程序查看。',
  ],
  ['{} cannot be read any more: {}', '{0} 已无法读取：{1}'],
];
