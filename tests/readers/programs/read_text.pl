# Read FIDE's combined text by fixed columns; every figure must be a number.
use strict;
use warnings FATAL => "all";
my @names = qw(fideid name country sex title w_title o_title foa_title rating games k
    rapid_rating rapid_games rapid_k blitz_rating blitz_games blitz_k birthday flag);
open(my $file, "<", $ARGV[0]) or die $!;
my $header = <$file>;
my $widths = "A15 A61 A4 A4 A5 A5 A15 A4 A6 A4 A3 A6 A4 A3 A6 A4 A3 A6 A4";
my $figures = qr/rating|games|^k$|_k$|fideid|birthday/;
my @rows;
while (my $line = <$file>) {
    $line =~ s/\r\n$//;
    my %row;
    @row{@names} = unpack($widths, $line);
    $row{$_} = $row{$_} + 0 for grep { $_ =~ $figures } @names;
    push @rows, join(",", map { my $cell = $row{$_}; $cell =~ s/(["\\])/\\$1/g; "\"$_\":\"$cell\"" } @names);
}
print "[", join(",\n", map { "{$_}" } @rows), "]\n";
