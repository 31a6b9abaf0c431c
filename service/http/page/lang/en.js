export default {
  // The head and the tools
  piles: 'Piles', cardsLabel: 'Cards', score: 'Score', goal: 'Goal', rules: 'Rules', history: 'History', settings: 'Settings',
  undo: 'Undo', redo: 'Redo', hint: 'Hint', deal: 'Deal', new: 'New', close: 'Close',
  bonus: '+{n} for winning now', newGame: 'New game', change: 'Choose another game',
  today: 'Today, {date}', dailyOf: 'Daily of {date}', dealOf: 'Deal {seed}', randomDeal: 'Random deal', watching: 'Watching',
  watchingPlayer: 'Watching {player}',
  // Cards and the row
  card: '{rank} of {suit}',
  rankA: 'ace', rank2: 'two', rank3: 'three', rank4: 'four', rank5: 'five', rank6: 'six', rank7: 'seven',
  rank8: 'eight', rank9: 'nine', rankT: 'ten', rankJ: 'jack', rankQ: 'queen', rankK: 'king',
  suitC: 'clubs', suitD: 'diamonds', suitH: 'hearts', suitS: 'spades',
  rowOf: { one: 'The row: {n} pile', other: 'The row: {n} piles' },
  pile: '{position}: {card}', cards: { one: '{n} card', other: '{n} cards' },
  movesTo: 'can move to {targets}', pairsWith: 'goes with {targets}', target: '{position}, {card}', or: ' or ',
  stock: { one: 'Stock: {n} card, face down', other: 'Stock: {n} cards, face down' },
  // What happened
  moved: '{card} onto {other} at {to}.', left: { one: '{n} pile left.', other: '{n} piles left.' },
  removed: { one: '{n} card removed.', other: '{n} cards removed.' },
  cardsLeft: { one: '{n} card left.', other: '{n} cards left.' }, dealt: '{card} dealt.',
  undone: 'Undone.',
  start: 'Bright cards can move. Tap one.', startWatch: 'You are watching.',
  stays: '{card} cannot move now.', choose: '{card}: choose one of the marked piles.',
  mustDeal: 'Nothing can move. Deal the next card.',
  offline: 'No connection. Your game is saved and continues when the connection is back.', online: 'The connection is back.',
  elsewhere: 'This game was played in another window. It is now up to date.',
  failed: 'That did not work: {detail}',
  thinking: 'Looking for a move …', hintMove: '{card} onto {other}.', hintPair: '{card} and {other}.', hintAlone: '{card}.', hintDeal: 'Deal a card.', hintNone: 'Nothing can be done.',
  winnable: 'A winning line starts here.', unwinnable: 'It is proved that this game can no longer be won.', unknown: 'No line that wins was found in the time given.',
  // The end
  wonTitle: 'You won!', wonText: 'Every card is where it belongs.', wonPile: 'The whole deck lies in one pile.',
  lostTitle: { one: '{n} pile left', other: '{n} piles left' }, lostCards: { one: '{n} card left', other: '{n} cards left' },
  strong: 'Very good: three piles or fewer.', moral: 'A good game: five piles or fewer.', lostText: 'No move is left. Undo and try another way, or start again.',
  endedText: 'You stopped here.', points: { one: '{n} point', other: '{n} points' },
  again: 'Same deal again', next: 'New deal', share: 'Share', review: 'Review', stop: 'Stop here', picture: 'Picture', copied: 'Copied.',
  shareText: 'Accordion, {deal}: {result}',
  // New game
  play: 'Play', dailyToday: 'Deal of the day', dailyYesterday: 'Yesterday\'s deal', utc: 'A new one at midnight UTC; it can be won.',
  game: 'Game', anyDeal: 'Any deal', canBeWon: 'Can be won', easy: 'Easy', medium: 'Medium', hard: 'Hard', byNumber: 'By number', seed: 'Number or text', source: 'Numbered as in',
  sourceOwn: 'this service', options: 'Options', layout: 'Layout', open: 'All cards face up', stockLayout: 'One card at a time', compulsory: 'A move must be made before dealing',
  noUndo: 'No undo', noHints: 'No hints', streak: { one: 'Streak: {n} day', other: 'Streak: {n} days' }, board: 'Board', stopGame: 'Stop this game',
  copyLink: 'Link to this deal', watchLink: 'Link to watch',
  // Rules
  setup: 'Setup', move: 'Move', notAllowed: 'Not allowed', win: 'To win', tips: 'Tips', example: 'Example', origin: 'Origin', odds: 'Odds', glossary: 'Terms',
  scoring: '10 points for each pile moved or card removed. A win adds 500, and 1200 minus one per second.', scoringTitle: 'Score', step: 'Next step', restart: 'From the start',
  // History
  noHistory: 'Games that you finish appear here. They are kept in this browser only.', plotLabel: 'Piles left, game by game', forget: 'Delete all',
  // Settings
  language: 'Language', look: 'Theme', auto: 'As the device', light: 'Light', dark: 'Dark', fourColours: 'Four-colour deck', showPoints: 'Show points',
  player: 'Your name on boards', playerNote: 'Optional. The name belongs to this browser.', keysTitle: 'Keys',
  keyArrows: 'Move along the row', keyEnter: 'Move the pile, or choose a target', keyEscape: 'Cancel the move', keyHelp: 'Show the keys',
  // Review and boards
  thisMonth: 'This month', allTime: 'All time', boardEmpty: 'No entries yet.',
  hindsight: 'Judged with all cards known.',
  reviewWait: 'The review is being made …', reviewNone: 'No action lost a game that was known to be winnable.', accuracy: 'Accuracy: {n}%.', turningPoint: 'Move {n} was the turning point.',
  tryAgain: 'Try again from there', before: 'Previous', after: 'Next', rank: 'Rank', name: 'Name', stepOf: 'Move {n} of {of}', start0: 'Start',
  // Events, boards and what happens on them
  comma: ', ', event: 'Event', events: 'Events', moves: 'Moves', time: 'Time', walk: 'Step through',
  onlyGiven: 'Games on this service are started by the sites that offer it. Follow a link from one of them.',
  opensAt: 'Opens {time}.', closesAt: 'Open until {time}.', closedAt: 'Closed {time}.', attempts: { one: 'One game for each player.', other: '{n} games for each player.' },
  dayText: 'Players: {n}. Won: {won}.', dayPlot: 'Players by piles left', winningLine: 'A line that wins', played: 'As it was played',
  'no-player': 'With a name in the settings, the deal of the day counts on its board.', help: 'After a hint the game does not count on the board.', 'player-key': 'This name belongs to another browser. The game does not count on the board.',
  hintUnranks: 'After a hint this game does not count on the board. Ask again to get it.',
};
