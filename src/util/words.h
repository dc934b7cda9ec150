/*
 * Words for the values of an enum, in the order of the values. A macro
 * WORDS(word) with word("one") word("two") becomes a list in an initializer, or
 * a text for messages and help.
 */
#ifndef C2C_WORDS_H
#define C2C_WORDS_H

/* {WORDS(WORDS_LIST)} */
#define WORDS_LIST(word) word,

/* "one|two" and "one, two" */
#define WORDS_BAR(word)	    "|" word
#define WORDS_COMMA(word)   ", " word
#define WORDS_BARS(words)   (&(words(WORDS_BAR))[1])
#define WORDS_COMMAS(words) (&(words(WORDS_COMMA))[2])

#endif
